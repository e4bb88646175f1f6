// Is what runs in parallel what one device computes? Walks a program step by step; before each instruction
// all it reads is the reference's, so what it makes shows this instruction's own error; what it made is
// compared with the reference's value, rows or partial sum, then replaced by it. So every op, transfer and
// sum is judged by itself, and one that is wrong does not hide behind, or blame, another. Copies of a variable
// are compared to the bit with each other as the devices left them, before the reference's value replaces them.
//
// Which value a buffer holds is the compiler's label (Meaning); the numbers come from the unpartitioned
// program alone.
#pragma once

#include "runtime/verify/reference.h"

namespace cutset {

struct Difference {
  std::string function, device, op, label, source;  // op: "conv2d", "recv", "all_reduce_wait", ...
  // Where in the program: instruction number `instruction` of the list of a queue of `device`. kNone: a result of
  // the step as a whole, on "host" or in a copy of a variable.
  Queue queue = Queue::kCompute;
  bool apply = false;
  int32_t instruction = kNone;
  int replica_first = 0, replica_last = 0;  // shards of the batch
  uint64_t step = 0;
  int64_t element = 0;
  double got = 0, want = 0, bound = 0;
  std::string what;  // where no element was compared: the sentence that says what is wrong
  std::string text() const;
};

struct VerifyReport {
  int64_t ops = 0, edges = 0;  // checked, over all steps
  double worst = 0;            // largest difference over its bound
  std::string worst_at;
  std::vector<Difference> differences;  // in the order of the walk
  bool stuck = false;                   // the last difference is an instruction that waits for what never comes
};

class Verifier {
 public:
  // Of a machine that holds the variables of the program, and one that holds those of the reference.
  Verifier(Machine& machine, Machine& reference_machine) : machine_(machine), reference_machine_(reference_machine) {}

  // One step of `function`. Both programs are of one graph and one shape of its inputs, `reference` for the
  // reference device alone, and run only here. The variables of both are then those after the reference's step.
  // Fails where a device does, or an input is not of the program's type; a program that gets stuck is a
  // difference, after which there is no step.
  Status step(Executable& program, Executable& reference, const std::string& function,
              std::span<const HostTensor* const> inputs);
  const VerifyReport& report() const { return report_; }

 private:
  Machine& machine_;
  Machine& reference_machine_;
  VerifyReport report_;
  uint64_t steps_ = 0;
};

}  // namespace cutset
