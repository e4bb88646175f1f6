// SPDX-License-Identifier: Apache-2.0
// The sizes of sequences, and the order of their steps, for the kernels of lstm, gru, rnn and their backward
// ops.
#pragma once
#include <cstdint>
#include <span>

namespace cutset {

// A sequence is [batch, steps, parts * hidden].
struct RecurrentSizes {
  int64_t batch = 0, steps = 0, hidden = 0;
  // `states` is the shape [batch, steps, hidden].
  explicit RecurrentSizes(std::span<const int64_t> states)
      : batch(states[0]), steps(states[1]), hidden(states[2]) {}
};

// The steps of one row of the batch in the order in which they are computed.
struct RecurrentSteps {
  int64_t steps = 0;
  int64_t length = 0;  // the steps from this number on keep the state; any number is valid
  bool reverse = false;

  // Returns the index of the k-th step.
  int64_t at(int64_t k) const { return reverse ? steps - 1 - k : k; }
  // Returns the index of the step before step t, or -1 if step t begins with the initial state.
  int64_t before(int64_t t) const { return reverse ? (t + 1 < steps ? t + 1 : -1) : t - 1; }
  bool keeps(int64_t t) const { return t >= length; }
};

}  // namespace cutset
