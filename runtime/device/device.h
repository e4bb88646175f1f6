// SPDX-License-Identifier: Apache-2.0
// Describes devices without opening them: their names, their kernels, the reasons for which a kernel refuses
// a problem, and their performance models. The compiler plans with these descriptions, even for devices that
// are not present on this machine.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/op/cost.h"
#include "ir/core/op/op_info.h"
#include "ir/core/result.h"
#include "runtime/abi/cutset_device.h"
#include "runtime/device/kernel_table.h"

namespace cutset {

// The two parts of a device name: "cpu" and 0 in "cpu:0".
struct DeviceName {
  std::string kind;
  int index = 0;
};
// Fails if the name does not have the form KIND:NUMBER, where NUMBER has at most three digits and no leading
// 0.
Result<DeviceName> parse_device_name(const std::string& name);

// The devices of a session as the user requested them.
struct DeviceOptions {
  std::string devices = "cpu:0";  // names, separated by commas: "cpu:0,opencl:0"
  int threads = 0;  // threads per device; 0: the number of cores divided by the number of CPU devices
  uint64_t simulation_seed = 0;  // the seed of the order in which the queues of simulated devices run
  std::string device_file;       // path of a file with properties of devices (device_file.h); empty: none
  bool describe_only = false;    // true: the devices need not be present, because nothing is run
  bool one_thread = false;       // true: every device uses one thread, so results do not depend on `threads`
};

// The kernel that a device uses for a problem.
struct KernelChoice {
  const cutset_kernel* kernel = nullptr;
  std::vector<std::string> refusals;  // why the preferred kernels refused: "conv.onednn: only f32, not f64"
};

// One device of a loaded backend. A description does not change and may be used from any thread.
class DeviceDescription {
 public:
  DeviceDescription(const cutset_backend* backend, cutset_device_info info, std::string name);
  const std::string& name() const { return name_; }
  const cutset_backend& backend() const { return *backend_; }
  const cutset_device_info& info() const { return info_; }

  // In the following functions `attributes` points to the attribute struct of the op, and `in` and `out` are
  // the types of its operands and results.

  // Returns the first kernel, in the backend's order of preference, that supports the problem. If there is
  // none, fails with the reasons of all kernels for the op.
  Result<KernelChoice> choose(const OpInfo& op, const void* attributes, const Types& in,
                              const Types& out) const;
  // Returns the kernel with this name, or null.
  const cutset_kernel* find_kernel(std::string_view name) const { return kernels_.find(name); }
  // Fails, with the kernel's reason, if `kernel`, which must be one for the op, does not support the problem.
  Status supports(const cutset_kernel* kernel, const cutset_problem& problem) const;

  // Returns the kernels of the op of `first`, a kernel of the device, in the backend's order, beginning with
  // `first`.
  std::span<const cutset_kernel* const> kernels_from(const cutset_kernel* first) const {
    return kernels_.from(first);
  }

  // Returns the bytes of scratch memory that the kernel needs for the problem. If the kernel does not support
  // the problem, or may refuse it when it is prepared, the bytes also suffice for the kernels that follow it.
  // Fails if the backend reports an error or more than 2^48 bytes.
  Result<uint64_t> scratch(const cutset_kernel* kernel, const OpInfo& op, const void* attributes,
                           const Types& in, const Types& out) const;

  // Estimates the time of an execution in seconds with the performance model of the device (the roofline
  // model): the larger of the times for arithmetic and for memory traffic, plus the launch overhead. A speed
  // of 0 is unknown and adds nothing.
  double seconds(const Cost& cost) const;
  // Estimates the time of a transfer of `bytes` bytes between the host and the device, in seconds.
  double transfer_seconds(int64_t bytes) const;

 private:
  const cutset_backend* backend_;
  cutset_device_info info_;
  std::string name_;
  KernelTable kernels_;
};
using DeviceList = std::vector<std::shared_ptr<const DeviceDescription>>;

// Loads the backends of the named devices and describes the devices, in the order of the names. Fails, naming
// the device, on a malformed name, a name that occurs twice, an unknown kind, a backend that cannot be
// loaded, an invalid description (check_description), and, unless `describe_only`, a device that is not
// available. Fails on an invalid device file.
Result<DeviceList> describe_devices(const DeviceOptions& options);

}  // namespace cutset
