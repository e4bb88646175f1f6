// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/prepare.h"

namespace cutset {

Result<PreparedKernel> prepare_problem(OpenDevice& device, Handles& handles, const cutset_kernel* first,
                                       const std::shared_ptr<const OwnedProblem>& problem,
                                       const FindFault& find_fault, std::vector<PassedOver>& passed_over) {
  const size_t before = passed_over.size();
  for (const cutset_kernel* kernel : device.description().kernels_from(first)) {
    const cutset_problem& p = *problem->abi.get();
    if (const Status supported = device.description().supports(kernel, p); !supported.ok()) {
      if (supported.error().code != ErrorCode::kUnsupported) return supported.error();
      passed_over.push_back({supported.error().what});
      continue;
    }
    const Handles::Mark mark = handles.mark();
    const auto prepared = handles.prepare(kernel, problem);
    if (!prepared.ok()) {
      if (prepared.error().code != ErrorCode::kUnsupported) return prepared.error();
      passed_over.push_back({prepared.error().what});
      continue;
    }
    CUTSET_ASSIGN(const std::string fault, find_fault(kernel));
    if (fault.empty()) return PreparedKernel{kernel, prepared->plan, prepared->scratch_bytes};
    handles.take_back(mark);
    passed_over.push_back({device.description().name() + ": " + kernel->name + ": " + fault, true});
  }
  std::string why;
  for (size_t i = before; i < passed_over.size(); ++i) why += (i > before ? "; " : "") + passed_over[i].why;
  return unsupported("no kernel of " + device.description().name() + " computes this problem of " +
                     std::string(problem->abi.get()->op) + ": " + why);
}

}  // namespace cutset
