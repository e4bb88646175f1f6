// SPDX-License-Identifier: Apache-2.0
// Recurrent layers with variables, as in PyTorch: several layers and directions, and dropout between layers.
//
// All functions throw a cutset::Error with the line of the call if an operand or option does not fit, and
// then add nothing to the graph.
#pragma once
#include <cutset/recurrent.h>

#include <cstdint>
#include <source_location>
#include <string>

namespace cutset::nn {

// The options of nn::lstm, nn::gru and nn::rnn, as in PyTorch.
struct RecurrentOptions {
  int64_t hidden = 0;  // the size of a state; must be given
  int64_t layers = 1;  // each layer reads the output of the one before it
  bool bias = true;    // whether there are biases
  bool batch_first =
      false;           // x and the output are [batch, steps, ...] if true, and otherwise [steps, batch, ...]
  double dropout = 0;  // the probability of nn::dropout after each layer except the last
  bool bidirectional = false;  // each layer has a second direction, which begins with the last step
  RnnNonlinearity nonlinearity = RnnNonlinearity::kTanh;  // of nn::rnn alone
};
// Compute recurrent layers over x, [steps, batch, features] or [batch, steps, features]. With d directions:
// - The output has d * hidden elements per step.
// - States, the initial states included, are [layers * d, batch, hidden], with the directions of a layer next
//   to each other.
// - The variables are named as in PyTorch: NAME.weight_ih_l0, NAME.weight_hh_l0, NAME.bias_ih_l0 and
//   NAME.bias_hh_l0, with the number of the layer at the end, followed by "_reverse" for the second
//   direction. Their initial values are uniform between -1 / sqrt(hidden) and 1 / sqrt(hidden).
// - `lengths` is as for cutset::lstm().
RecurrentResult lstm(const std::string& name, const Tensor& x, const RecurrentOptions& options,
                     const Tensor& lengths = {}, const RecurrentState& initial = {},
                     std::source_location source = std::source_location::current());
RecurrentResult gru(const std::string& name, const Tensor& x, const RecurrentOptions& options,
                    const Tensor& lengths = {}, const RecurrentState& initial = {},
                    std::source_location source = std::source_location::current());
RecurrentResult rnn(const std::string& name, const Tensor& x, const RecurrentOptions& options,
                    const Tensor& lengths = {}, const RecurrentState& initial = {},
                    std::source_location source = std::source_location::current());

}  // namespace cutset::nn
