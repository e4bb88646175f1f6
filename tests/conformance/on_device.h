// SPDX-License-Identifier: Apache-2.0
// Runs one op on one device of this machine, without the compiler, and compares the results with the
// reference kernel.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "runtime/kernels/conformance.h"

namespace cutset::testing {

// Returns the kinds of devices that are available on this machine.
std::vector<std::string> kinds_here();
// An op and a kind of device: the parameter of tests that run each op on each kind of device.
struct OpOnDevice {
  const OpInfo* op;
  std::string kind;
};
// Returns all ops on all kinds of devices that are available on this machine.
std::vector<OpOnDevice> ops_on_devices();
// Returns the name of a test with this parameter, such as cpu_matmul.
std::string name_of(const OpOnDevice& combination);
// Opens device 0 of a kind that is available.
std::unique_ptr<OpenDevice> open_device(const std::string& kind);
// Draws random operands for a case.
std::vector<HostTensor> draw(const Case& c, uint64_t seed);
// Computes a case with the reference kernel.
Result<std::vector<HostTensor>> run_reference(const OpInfo& op, const Case& c,
                                              const std::vector<HostTensor>& in);
// Calls run_op with a new queue.
Result<std::vector<HostTensor>> run_on(OpenDevice& device, const OpInfo& op, const Case& c,
                                       const std::vector<HostTensor>& in, std::string* kernel_name);
// Calls compare_results.
std::string compare(const std::vector<HostTensor>& got, const std::vector<HostTensor>& want, const Case& c);

}  // namespace cutset::testing
