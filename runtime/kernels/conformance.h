// SPDX-License-Identifier: Apache-2.0
// Compares the kernels of a device with the reference kernels, op by op, on the test problems of the ops. The
// tests of every backend, `cutset devices --selftest`, `cutset-conformance` and the first use of a kernel
// (verdicts.h) call these functions.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ir/core/op/op_case.h"
#include "ir/core/op/op_info.h"
#include "runtime/files/host_tensor.h"
#include "runtime/kernels/prepare.h"

namespace cutset {

// Whether the backend has a kernel for the op, which may refuse some problems.
bool has_kernel(const cutset_backend& backend, const OpInfo& op);

// Draws random operands for a case.
std::vector<HostTensor> draw_operands(const Case& c, uint64_t seed);

// Computes a case on `queue` with the first kernel of the device that can be prepared for it, and sets
// `*kernel_name` to the name of that kernel. Appends the kernels that refused before to `*passed_over`,
// unless it is null. Fails with the reasons of the kernels if all of them refuse, and if the plan needs more
// scratch memory than the kernel has said.
Result<std::vector<HostTensor>> run_op(OpenDevice& device, cutset_queue queue, const OpInfo& op,
                                       const Case& c, const std::vector<HostTensor>& in,
                                       std::string* kernel_name,
                                       std::vector<PassedOver>* passed_over = nullptr);
// Computes a case with one kernel. Fails with ErrorCode::kUnsupported if the kernel refuses the case.
Result<std::vector<HostTensor>> run_kernel(OpenDevice& device, cutset_queue queue, const OpInfo& op,
                                           const cutset_kernel* kernel, const Case& c,
                                           const std::vector<HostTensor>& in);

// Returns an empty string if every element of `got` is within the case's tolerance of `want`, and otherwise
// names the first element that is not. NaN equals only NaN.
std::string compare_results(const std::vector<HostTensor>& got, const std::vector<HostTensor>& want,
                            const Case& c);

// What the comparison of an op has shown.
struct OpReport {
  std::string op;
  std::string kernels;                       // the kernels that ran, separated by spaces
  int passed = 0, refused = 0, failed = 0;   // numbers of cases
  std::string first_refusal, first_failure;  // "case 'wide': ..."
  std::vector<std::string> passed_over;      // why preferred kernels did not run: "matmul.cublaslt: REASON"
  bool needs_kernel = true;                  // false: the op never runs, because it is a view or is folded
};

// Runs the fixed cases of an op and `random` random ones, each twice, because two runs must give the same
// bits. `before(case name)` is called before each case.
OpReport check_op(OpenDevice& device, cutset_queue queue, const OpInfo& op, int random,
                  const std::function<void(const std::string&)>& before);

}  // namespace cutset
