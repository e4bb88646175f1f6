// SPDX-License-Identifier: Apache-2.0
// Forecasts the memory that training the convolutions of a network takes. The forecast is computed from
// sizes; nothing is allocated or run.
#pragma once
#include <functional>

#include "tests/cuda/checks/networks.h"

namespace cutset::cuda {

// Bytes, of f32 tensors. The forecast leaves out all other layers (fully connected, normalization, activation
// and pooling), the state of the optimizer, and the fragmentation of memory.
struct TrainingMemory {
  uint64_t filters = 0;  // the filters and biases of all convolutions; their gradients take as much again
  uint64_t activations =
      0;  // the images x of all convolutions, which backward_filter reads; shared images count once
  uint64_t gradients =
      0;  // the two largest results y, which stand for the gradients that are alive at the same time
  // The largest workspace of the plans that training runs: plans of all directions, except backward_input of
  // the first layer. A program of Cutset reserves more (most_workspace of convolution.h), because it is
  // compiled before a plan is made.
  uint64_t workspace = 0;
  uint64_t total() const { return 2 * filters + activations + gradients + workspace; }
};

// Returns the forecast for a network. `workspace` returns the bytes of workspace of the plan for a
// convolution.
TrainingMemory forecast(const Network& network, const std::function<uint64_t(const Convolution&)>& workspace);

}  // namespace cutset::cuda
