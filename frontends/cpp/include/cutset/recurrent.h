// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and vanilla recurrent networks, as PyTorch and ONNX define them. Each function computes one
// direction of one layer with given weights. The layers of <cutset/recurrent_layers.h> make their variables,
// and have several layers and directions.
//
// All functions throw a cutset::Error with the line of the call if an operand or option does not fit, and
// then add nothing to the graph. A function that is run with another batch size or another number of steps is
// compiled for it.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <functional>
#include <source_location>

namespace cutset {

// The weights of one direction of one layer. Their rows are in parts, in the order of PyTorch: the gates i,
// f, g and o of lstm, the gates r, z and n of gru, and one part of rnn.
struct RecurrentWeights {
  Tensor input = {};        // [parts * hidden, features]
  Tensor hidden = {};       // [parts * hidden, hidden]
  Tensor input_bias = {};   // [parts * hidden]; empty: 0
  Tensor hidden_bias = {};  // [parts * hidden]; empty: 0
};
// A state. Only lstm has a cell.
struct RecurrentState {
  Tensor state = {};  // [batch, hidden]; empty: 0
  Tensor cell = {};   // [batch, hidden]; empty: 0
};
struct RecurrentResult {
  Tensor output;  // [batch, steps, hidden]: the state after each step
  Tensor state;   // [batch, hidden]: the state after the last step of each row
  Tensor cell;    // the cell after the last step of each row; empty if there is none
};

// A function of a tensor of any shape that returns a tensor of the same type. Empty: the function that the
// layer has by default.
using RecurrentActivation = std::function<Tensor(const Tensor&)>;

// The options of lstm(). `clip`, `input_forget` and `peepholes` have the meaning of ONNX. If one of them or
// an activation is set, every step consists of separate ops, and there may be at most 1024 steps. With an
// activation, the number of steps is fixed.
struct LstmOptions {
  bool reverse = false;       // the last step comes first
  double clip = 0;            // limits the operands of the gates' functions to [-clip, clip]; 0: no limit
  bool input_forget = false;  // the gate f is 1 - i
  // The factors p of the cell, [3 * hidden] (Gers and Schmidhuber, "Recurrent nets that time and count",
  // IJCNN 2000). Empty: none. p times the cell is added to the operand of the gate's function: for i and f
  // the cell before the step, and for o the cell after the step.
  Tensor peepholes = {};
  RecurrentActivation gate = {};       // of the gates i, f and o, in place of sigmoid
  RecurrentActivation candidate = {};  // of g, in place of tanh
  RecurrentActivation output = {};     // of the cell in the state, in place of tanh
};
// Computes a long short-term memory (Hochreiter and Schmidhuber, Neural Computation 1997) over the sequences
// x, [batch, steps, features]:
//   i, f, o = sigmoid(input x + input_bias + hidden state + hidden_bias)
//   g = tanh(input x + input_bias + hidden state + hidden_bias)
//   cell' = f cell + i g
//   state' = o tanh(cell')
// Each gate has its part of the weights. `lengths` is empty, or the number of steps of each row, i32 or i64
// [batch]. After its last step, the output of a row is 0, and its state does not change. A length below 0
// counts as 0, and a length above the number of steps counts as that number. With `reverse`, the steps of a
// row begin at its length.
RecurrentResult lstm(const Tensor& x, const RecurrentWeights& weights, const Tensor& lengths = {},
                     const RecurrentState& initial = {}, const LstmOptions& options = {},
                     std::source_location source = std::source_location::current());

// The options of gru().
struct GruOptions {
  bool reverse = false;                // as in LstmOptions
  double clip = 0;                     // as in LstmOptions
  bool linear_before_reset = true;     // as in PyTorch; the default of ONNX is false
  RecurrentActivation gate = {};       // of the gates r and z, in place of sigmoid
  RecurrentActivation candidate = {};  // of n, in place of tanh
};
// Computes gated recurrent units (Cho and others, EMNLP 2014) over the sequences x, with `lengths` as for
// lstm():
//   r, z = sigmoid(input x + input_bias + hidden state + hidden_bias)
//   n = tanh(input x + input_bias + r (hidden state + hidden_bias))     if linear_before_reset is true
//   n = tanh(input x + input_bias + hidden (r state) + hidden_bias)     otherwise
//   state' = (1 - z) n + z state
RecurrentResult gru(const Tensor& x, const RecurrentWeights& weights, const Tensor& lengths = {},
                    const RecurrentState& initial = {}, const GruOptions& options = {},
                    std::source_location source = std::source_location::current());

// The options of rnn().
struct RnnOptions {
  bool reverse = false;  // as in LstmOptions
  double clip = 0;       // as in LstmOptions
  RnnNonlinearity nonlinearity = RnnNonlinearity::kTanh;
  RecurrentActivation activation = {};  // in place of `nonlinearity`
};
// Computes a vanilla recurrent network (Elman, Cognitive Science 1990) over the sequences x, with `lengths`
// as for lstm():
//   state' = nonlinearity(input x + input_bias + hidden state + hidden_bias)
RecurrentResult rnn(const Tensor& x, const RecurrentWeights& weights, const Tensor& lengths = {},
                    const RecurrentState& initial = {}, const RnnOptions& options = {},
                    std::source_location source = std::source_location::current());

}  // namespace cutset
