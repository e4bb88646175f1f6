// SPDX-License-Identifier: Apache-2.0
// The plans of a program: the kernels of its instructions, prepared for their problems. Instructions with the
// same kernel, attributes and types share one plan, because a plan is bound to no memory. A network of
// 100,000 layers of one size thus prepares a few kernels only.
//
// One host thread at a time may use a plan, so only instructions of one queue share it.
#pragma once
#include <unordered_map>

#include "ir/core/op/problem_key.h"
#include "runtime/kernels/prepare.h"
#include "runtime/program/program.h"

namespace cutset {

class PreparedKernels {
 public:
  // Returns the plan for an instruction of kind kKernel, which runs on `queue`. The plan belongs to
  // `handles`, the handles of the device. If the kernel of the instruction refuses the problem, or its
  // results are wrong on the device (verdicts.h), the next kernel of the op takes its place. Fails if the
  // device has no such kernel, or if all kernels refuse. Must not be called while the queue runs a step.
  Result<PreparedKernel> find_or_prepare(OpenDevice& device, Handles& handles, cutset_queue queue,
                                         const Function& function, const Instruction& instruction);

  // Returns the kernels that others have replaced, each reason once: "matmul.cuda runs instead of
  // matmul.cublaslt: REASON".
  const std::vector<PassedOver>& replaced() const { return replaced_; }

 private:
  std::unordered_map<cutset_queue, std::unordered_map<ProblemKey, PreparedKernel, ProblemHash>> of_queue_;
  std::vector<PassedOver> replaced_;
};

}  // namespace cutset
