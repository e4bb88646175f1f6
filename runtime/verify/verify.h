// Is what runs in parallel what one device computes? Walks a program step by step; before each instruction
// all it reads is the reference's, so what it makes shows this instruction's own error; what it made is
// compared with the reference's value, rows or partial sum, then replaced by it. So every op, transfer and
// sum is judged by itself, and one that is wrong does not hide behind, or blame, another.
//
// Which value a buffer holds is the compiler's label (Meaning); the numbers come from the unpartitioned
// program alone.
#pragma once

#include "runtime/verify/reference.h"

namespace cutset {

struct Difference {
  std::string function, device, op, label, source;  // op: "conv2d", "recv", "all_reduce_wait", ...
  Queue queue = Queue::kCompute;
  bool apply = false;
  const Instruction* instruction = nullptr;  // null: a result as a whole
  int replica_first = 0, replica_last = 0;   // shards of the batch
  uint64_t step = 0;
  int64_t element = 0;
  double got = 0, want = 0, bound = 0;
  std::string text() const;
};

struct VerifyReport {
  int64_t ops = 0, edges = 0;  // checked, over all steps
  double worst = 0;            // largest difference over its bound
  std::string worst_at;
  std::vector<Difference> differences;  // in the order of the walk
};

class Verifier {
 public:
  // Both programs are of one graph, `reference` for the reference device alone. Neither executable runs
  // otherwise while this lives.
  Verifier(Executable& program, Machine& machine, Executable& reference, Machine& reference_machine)
      : program_(program), machine_(machine), reference_(reference), reference_machine_(reference_machine) {}

  // One step of `function`. The variables of both are then those after the reference's step. Fails where the
  // program cannot be walked to its end.
  Status step(const std::string& function, std::span<const HostTensor* const> inputs);
  const VerifyReport& report() const { return report_; }

 private:
  Executable& program_;
  Machine& machine_;
  Executable& reference_;
  Machine& reference_machine_;
  VerifyReport report_;
  uint64_t steps_ = 0;
};

}  // namespace cutset
