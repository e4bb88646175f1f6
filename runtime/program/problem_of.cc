// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/problem_of.h"

#include "ir/core/op/op_info.h"

namespace cutset {

std::optional<InstructionProblem> problem_of(const Instruction& i, const Table<Buffer>& buffers,
                                             const DeviceDescription& device) {
  const RunKernel& c = *i.as<RunKernel>();
  const OpInfo* op = find_op(i.op());
  const cutset_kernel* kernel = device.find_kernel(c.kernel);
  if (!op || !kernel || i.op() != kernel->op) return std::nullopt;
  InstructionProblem problem{op, {kernel, c.attributes, {}, {}}};
  for (BufferId b : c.operands) problem.key.in.push_back(buffers[b].type);
  for (BufferId b : c.results) problem.key.out.push_back(buffers[b].type);
  return problem;
}

}  // namespace cutset
