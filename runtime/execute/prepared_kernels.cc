// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/prepared_kernels.h"

#include <algorithm>
#include <memory>

#include "ir/core/attributes.h"
#include "ir/core/op/op_info.h"
#include "runtime/kernels/verdicts.h"

namespace cutset {

Result<PreparedKernel> PreparedKernels::find_or_prepare(OpenDevice& device, Handles& handles,
                                                        cutset_queue queue, const Function& function,
                                                        const Instruction& i) {
  const RunKernel& c = *i.as<RunKernel>();
  auto type_of = [&](BufferId b) -> const TensorType& { return function.buffers[b].type; };
  const std::string& name = device.description().name();
  const OpInfo* op = find_op(i.op());
  const cutset_kernel* first = device.description().find_kernel(c.kernel);
  if (!op || !first || i.op() != first->op)
    return execution_failed("device '" + name + "' has no kernel '" + c.kernel + "' for '" + i.op() + "'");
  ProblemKey key{first, c.attributes, {}, {}};
  for (BufferId b : c.operands) key.in.push_back(type_of(b));
  for (BufferId b : c.results) key.out.push_back(type_of(b));
  auto& prepared = of_queue_[queue];
  auto found = prepared.find(key);
  if (found == prepared.end()) {
    CUTSET_ASSIGN(const auto problem, own_problem(*op, c.attributes, key.in, key.out));
    const auto fault = [&](const cutset_kernel* kernel) { return find_fault(device, queue, kernel); };
    std::vector<PassedOver> passed_over;
    CUTSET_ASSIGN(const PreparedKernel usable,
                  prepare_problem(device, handles, first, problem, fault, passed_over));
    for (PassedOver& p : passed_over) {
      p.why = std::string(usable.kernel->name) + " runs instead of " + c.kernel + ": " + p.why;
      if (std::none_of(replaced_.begin(), replaced_.end(),
                       [&](const PassedOver& r) { return r.why == p.why; }))
        replaced_.push_back(std::move(p));
    }
    found = prepared.emplace(std::move(key), usable).first;
  }
  return found->second;
}

}  // namespace cutset
