// SPDX-License-Identifier: Apache-2.0
// Verifies that a partitioned program computes what a single device computes.
//
// The reference is the single-device program on the reference device. The verifier steps through the
// partitioned program, instruction by instruction. It compares every result with the value, the rows or the
// partial sum of the reference, and then replaces the result by the reference's. Every instruction therefore
// reads correct operands. An error is reported at the instruction that makes it, and it neither hides nor
// causes other errors.
//
// Copies of an updated variable are compared with each other before they are replaced; they must be bitwise
// equal. Results that only move data must equal the reference exactly. Computed results have a tolerance for
// rounding (expected.h).
//
// The compiler records which value a buffer holds (ValueOrigin). Everything else comes from the single-device
// program.
#pragma once

#include "runtime/verify/reference.h"

namespace cutset {

// One difference between a partitioned program and the reference.
struct Difference {
  std::string function, device, op, layer, source;  // op: "conv", "recv", "all_reduce_wait", ...
  // The place: instruction number `instruction` in a list of `device`. kNone: the difference is in an output
  // or in a variable after the step; `device` is then "host" or the replica.
  Queue queue = Queue::kCompute;
  bool apply = false;
  int32_t instruction = kNone;
  int first_shard = 0, last_shard = 0;  // the value belongs to the shards [first_shard, last_shard)
  uint64_t step = 0;                    // the number of the verified step, from 1
  int64_t element = 0;                  // the element whose error is the largest in relation to its bound
  double got = 0, want = 0, bound = 0;  // its value, the reference's value, and the allowed difference
  std::string what;                     // the error message if no elements were compared; otherwise empty
  // Returns the difference as an error message on one line.
  std::string text() const;
};

struct VerifyReport {
  int64_t ops = 0,
          edges = 0;     // the checked kernels; the checked transfers, sums, copies, inputs and outputs
  double worst = 0;      // the largest ratio of an accepted difference to its bound, at most 1
  std::string worst_at;  // the op, layer and device of this ratio
  // The first value that is not finite, so that a session would not commit the step: "step 1 of 'train':
  // result 'loss' is nan". Empty if there is none. The reference and the program then agree on NaN and
  // infinities, so their agreement shows little.
  std::string not_finite;
  std::vector<Difference> differences;  // the differences in the order in which they were found
  bool stuck = false;  // true: the program hangs; the last differences name the queues that wait
};

class Verifier {
 public:
  // `executor` holds the variables of the partitioned program, and `reference_executor` the variables of the
  // reference. Both must outlive the verifier.
  Verifier(Executor& executor, Executor& reference_executor)
      : executor_(executor), reference_executor_(reference_executor) {}

  // Verifies one step of `function`. Both programs must be compiled from the same graph for the same input
  // shapes, and `reference` for only the reference device. The step begins with the variables of the
  // reference; afterwards both programs have the variables of the reference after the step. Differences are
  // added to report() and are not errors. Fails if a device fails or if an input has the wrong type. After a
  // deadlock (VerifyReport::stuck) no further step may be verified.
  Status step(Executable& program, Executable& reference, const std::string& function,
              std::span<const HostTensor* const> inputs);
  const VerifyReport& report() const { return report_; }

 private:
  Executor& executor_;
  Executor& reference_executor_;
  VerifyReport report_;
  uint64_t steps_ = 0;
};

}  // namespace cutset
