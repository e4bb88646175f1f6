// SPDX-License-Identifier: Apache-2.0
// The base of the kernels of lstm, gru, rnn and their backward ops. A step is a matrix product and one or two
// launches of pointwise arithmetic. The next step reads the results of the step.
#pragma once
#include "backends/portable/gemm.h"
#include "ir/ops/recurrent/recurrent_steps.h"

namespace cutset::portable {

// The sequences of a problem. `lengths` is the index of an optional operand, and `states` is the shape
// [batch, steps, hidden].
struct Sequences {
  RecurrentSizes sizes;
  RecurrentSteps order;  // the order of all steps; the lengths of the rows do not change it
  bool has_lengths;
  Memory lengths;  // any operand if there are no lengths

  Sequences(const abi::Problem& p, std::span<const int64_t> states, size_t lengths_at, bool reverse)
      : sizes(states),
        order{sizes.steps, sizes.steps, reverse},
        has_lengths(p.inputs() > lengths_at),
        lengths(in(has_lengths ? lengths_at : 0)),
        wide_(has_lengths && p.in_type(lengths_at) == DType::i64) {}

  // Returns the number of elements of a state, which is the number of work-items of a launch for a step.
  int64_t elements() const { return sizes.batch * sizes.hidden; }
  // Returns the functions that `source` may call, followed by `source`. The functions are sigmoid(x),
  // tanh_of(x) and keeps(lengths, row, t, steps), which is true if step t of the row keeps the state. LENGTH
  // is the element type of the tensor `lengths`.
  std::string source(const char* source) const;

 private:
  bool wide_;
};

// The matrix of the states [batch, hidden] at one step of a tensor.
struct StateMatrix {
  Memory memory;
  int64_t row, first;  // the distance between two rows, and the index of the first element
};
// Returns the states before step t: `initial` [batch, hidden], or another step of `states` [batch, steps,
// hidden].
StateMatrix before_step(const Sequences& s, int64_t t, Memory initial, Memory states);

// The base of a kernel.
struct Recurrent {
  // Returns an empty string if operand 0, [batch, steps, ...], has few enough steps, and if all operands and
  // results except the lengths are f32. Otherwise returns the reason for the refusal.
  static std::string supports(const abi::Problem& p);
};

// The launches of a problem.
class RecurrentLaunches {
 public:
  // `source` has the kernels of all steps.
  RecurrentLaunches(Launches& list, const Sequences& sequences, const char* source)
      : list_(list), s_(sequences), source_(sequences.source(source)) {}
  // Appends a launch with one item per element of a state.
  void add_step(const char* kernel, std::initializer_list<Argument> arguments) {
    list_.add_flat(source_, kernel, s_.elements(), arguments);
  }

 protected:
  Launches& list_;
  const Sequences& s_;
  std::string source_;
};

}  // namespace cutset::portable
