// Runs one op on one device, past the compiler, and compares with the reference loop.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ir/core/op_info.h"
#include "runtime/host_tensor.h"
#include "runtime/open_device.h"

namespace cutset::testing {

// The devices that conformance tests run on: one of each kind that is here.
std::vector<std::string> kinds_here();
// The first device of a kind that is here.
std::unique_ptr<OpenDevice> open_device(const std::string& kind);
// Draws the operands of a case.
std::vector<HostTensor> draw(const Case& c, uint64_t seed);
Result<std::vector<HostTensor>> run_reference(const OpInfo& op, const Case& c, const std::vector<HostTensor>& in);
// Fails with the device's sentence where it has no kernel. `kernel_name` tells which ran.
Result<std::vector<HostTensor>> run_on(OpenDevice& device, const OpInfo& op, const Case& c,
                                       const std::vector<HostTensor>& in, std::string* kernel_name);
// Empty: every element within the case's tolerance. Else which is not.
std::string compare(const std::vector<HostTensor>& got, const std::vector<HostTensor>& want, const Case& c);

}  // namespace cutset::testing
