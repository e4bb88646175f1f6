// The plans of a program: the kernels of its instructions, prepared for their problems. Instructions with the same
// kernel, attributes and types share one plan, because a plan is bound to no memory. A network of 100,000 layers of one
// size thus prepares a few kernels only.
//
// One host thread at a time may use a plan, so only instructions of one queue share it.
#pragma once
#include <unordered_map>

#include "ir/core/problem_key.h"
#include "runtime/device/open_device.h"
#include "runtime/program/program.h"

namespace cutset {

struct PreparedKernel {
  const cutset_kernel* kernel;
  cutset_plan plan;
};

class PreparedKernels {
 public:
  // Returns the plan for an instruction of kind kKernel, which runs on queue number `queue` of the executor. The plan
  // belongs to `handles`, which are those of the device. Fails if the device has no such kernel, if the kernel does not
  // support the problem, or if it needs more scratch memory than the program has planned.
  Result<PreparedKernel> find_or_prepare(Handles& handles, const DeviceDescription& device, size_t queue,
                                         const Function& function, const Instruction& instruction);

 private:
  std::unordered_map<size_t, std::unordered_map<ProblemKey, Handles::Prepared, ProblemHash>> of_queue_;
};

}  // namespace cutset
