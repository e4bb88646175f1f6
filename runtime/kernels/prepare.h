// SPDX-License-Identifier: Apache-2.0
// Prepares a problem on a device with the first kernel that may compute it. A kernel that supports a problem
// may still refuse it when it is prepared, for example because a library is not installed, and a kernel whose
// results are wrong on the device must not be used. In both cases the next kernel of the op takes its place.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device/open_device.h"

namespace cutset {

struct PreparedKernel {
  const cutset_kernel* kernel = nullptr;
  cutset_plan plan = nullptr;
  uint64_t scratch_bytes = 0;  // what each execution needs
};

// A kernel that does not run, although it comes before the kernel that runs.
struct PassedOver {
  std::string why;     // begins with the name of the kernel: "cuda:0: cannot prepare matmul.cublaslt: REASON"
  bool wrong = false;  // the kernel has a fault; otherwise it has refused
};

// Returns why a kernel must not be used on the device, or an empty string if it may be used.
using FindFault = std::function<Result<std::string>(const cutset_kernel*)>;
// Lets every kernel be used, for the comparisons that find faults.
inline Result<std::string> any_kernel(const cutset_kernel*) { return std::string(); }

// Prepares `problem` with `first`, or, if that kernel refuses or has a fault, with the next kernel of the op
// that supports the problem. The plan belongs to `handles`, the handles of the device. Appends the kernels
// that refused or have a fault to `passed_over`. Fails if all kernels refuse, and with the error of a kernel
// that cannot be prepared for another reason.
Result<PreparedKernel> prepare_problem(OpenDevice& device, Handles& handles, const cutset_kernel* first,
                                       const std::shared_ptr<const OwnedProblem>& problem,
                                       const FindFault& find_fault, std::vector<PassedOver>& passed_over);

}  // namespace cutset
