// SPDX-License-Identifier: Apache-2.0
// Recurrent layers whose steps consist of separate ops, for the options that the ops lstm, gru and rnn do not
// have.
#pragma once
#include <cutset/recurrent.h>

#include "frontends/cpp/functional/compose.h"

namespace cutset {

// The operands of a recurrent function, which fit each other.
struct Recurrent {
  const char* function;  // the name of the public function
  Tensor projected;      // [batch, steps, parts * hidden]: x times the input weight
  Tensor weight;         // [parts * hidden, hidden]
  Tensor bias;           // [hidden]: the bias of n of gru; empty for lstm and rnn
  Tensor lengths;        // empty: all rows have all steps
  Tensor state, cell;    // [batch, hidden]; the cell is empty unless the function has one
  bool reverse;
  std::source_location source;

  int64_t hidden() const { return weight.shape()[1]; }
  int64_t steps() const { return projected.shape()[1]; }
  // Returns rows [part * hidden, (part + count) * hidden) of the weight or the bias.
  Tensor part(const Tensor& of, int64_t part, int64_t count) const;
  // Returns a scalar of the element type of x.
  Tensor number(double value) const;
};

// Return the results of the public functions for these operands and options.
RecurrentResult lstm_by_steps(const Recurrent& r, const LstmOptions& options);
RecurrentResult gru_by_steps(const Recurrent& r, const GruOptions& options);
RecurrentResult rnn_by_steps(const Recurrent& r, const RnnOptions& options);

}  // namespace cutset
