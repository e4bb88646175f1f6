// What a device can do, for the planner: kernels with reasons, numbers, names. Describing opens nothing.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ir/core/attributes.h"
#include "ir/core/cost.h"
#include "ir/core/op_info.h"
#include "runtime/abi/cutset_device.h"

namespace cutset {

// "cpu:0".
struct DeviceName {
  std::string kind;
  int index = 0;
};
// Fails where the name is not KIND:NUMBER with at most three digits and no leading 0.
Result<DeviceName> parse_device_name(const std::string& name);

// Which devices a session has, as the user wrote them.
struct DeviceOptions {
  std::string devices = "cpu:0";  // "cpu:0,opencl:0"
  int threads = 0;                // of each CPU device; 0: cores divided by CPU devices
  uint64_t simulation_seed = 0;
  std::string device_file;     // numbers that replace those of the backends; see runtime/device_file.h
  bool describe_only = false;  // compile for devices that are not here
  bool one_thread = false;     // kernels whose bits do not depend on `threads`
  // Of each device, where `threads` is 0: what a saved program was compiled for. No more are taken than there are cores.
  std::vector<int32_t> compiled_threads = {};
};

struct KernelChoice {
  const cutset_kernel* kernel = nullptr;
  std::vector<std::string> refusals;  // "conv2d.onednn: only f32", of the kernels before it
};

// One device of a loaded backend. Shared; everything is const and may be used from any thread.
class DeviceDescription {
 public:
  DeviceDescription(const cutset_backend* backend, cutset_device_info info, std::string name)
      : backend_(backend), info_(info), name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  const cutset_backend& backend() const { return *backend_; }
  const cutset_device_info& info() const { return info_; }

  // The first kernel that accepts; an error with every refusal where none does.
  Result<KernelChoice> choose(const OpInfo& op, const void* attributes, const Types& in, const Types& out) const;
  const cutset_kernel* find_kernel(const std::string& name) const;
  // Does the kernel, one of the op's, accept such a problem? The error says why not.
  Status supports(const cutset_kernel* kernel, const OpInfo& op, const void* attributes, const Types& in,
                  const Types& out) const;

  // Bytes of scratch memory the chosen kernel needs for a problem.
  Result<uint64_t> scratch(const cutset_kernel* kernel, const OpInfo& op, const void* attributes, const Types& in,
                           const Types& out) const;

  // Seconds by the device's own numbers: the slower of arithmetic and memory, plus the launch.
  double seconds(const Cost& cost) const;
  double transfer_seconds(int64_t bytes) const;

 private:
  const cutset_backend* backend_;
  cutset_device_info info_;
  std::string name_;
};
using DeviceList = std::vector<std::shared_ptr<const DeviceDescription>>;

// Loads the backends that the names need and describes the devices. Fails with a sentence and a hint on
// a name of an unknown kind, a backend that is not there, or a device named twice.
Result<DeviceList> describe_devices(const DeviceOptions& options);

// The types of a problem in the form the ABI takes; owns the arrays it points to.
class AbiProblem {
 public:
  AbiProblem(const OpInfo& op, const void* attributes, const Types& in, const Types& out);
  AbiProblem(const AbiProblem&) = delete;
  const cutset_problem* get() const { return &problem_; }

 private:
  std::vector<TensorType> held_;
  std::vector<cutset_type> types_;
  cutset_problem problem_;
};

// What is here, for `cutset devices`: one row a backend that could be found or was expected.
struct BackendReport {
  std::string backend, kind, description;
  std::string missing;  // empty: a device can be opened
};
std::vector<BackendReport> report_backends();

}  // namespace cutset
