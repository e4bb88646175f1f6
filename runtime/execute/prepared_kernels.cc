// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/prepared_kernels.h"

#include <algorithm>
#include <memory>

#include "runtime/kernels/verdicts.h"
#include "runtime/program/problem_of.h"

namespace cutset {

Result<PreparedKernel> PreparedKernels::find_or_prepare(OpenDevice& device, Handles& handles,
                                                        cutset_queue queue, const Function& function,
                                                        const Instruction& i) {
  const RunKernel& c = *i.as<RunKernel>();
  std::optional<InstructionProblem> wanted = problem_of(i, function.buffers, device.description());
  if (!wanted)
    return execution_failed("device '" + device.description().name() + "' has no kernel '" + c.kernel +
                            "' for '" + i.op() + "'");
  ProblemKey& key = wanted->key;
  auto& prepared = of_queue_[queue];
  auto found = prepared.find(key);
  if (found == prepared.end()) {
    CUTSET_ASSIGN(const auto problem, own_problem(*wanted->op, key.attributes, key.in, key.out));
    const auto fault = [&](const cutset_kernel* kernel) { return find_fault(device, queue, kernel); };
    std::vector<PassedOver> passed_over;
    CUTSET_ASSIGN(const PreparedKernel usable,
                  prepare_problem(device, handles, wanted->kernel(), problem, fault, passed_over));
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
