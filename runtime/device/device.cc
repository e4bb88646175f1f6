// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/device.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <thread>

#include "runtime/device/abi_values.h"
#include "runtime/device/backend_library.h"
#include "runtime/device/device_file.h"
#include "runtime/device/op_libraries.h"

namespace cutset {
namespace {

// Reads the device file and refuses devices of unknown kinds, because a misspelt name would otherwise have no
// effect.
Result<DeviceFile> read_known_devices(const std::string& path) {
  CUTSET_ASSIGN(DeviceFile file, read_device_file(path));
  if (file.empty()) return file;
  const auto kinds = find_backends_and_expected();
  auto bad = [&](const std::string& why) { return invalid_data("device file '" + path + "': " + why); };
  for (const auto& [name, numbers] : file) {
    auto parsed = parse_device_name(name);
    if (!parsed) return bad(parsed.error().what);
    if (!kinds.contains(parsed->kind))
      return bad("there is no backend for devices of kind '" + parsed->kind + "', the kind of '" + name +
                 "'");
  }
  return file;
}

}  // namespace

Result<DeviceName> parse_device_name(const std::string& name) {
  const size_t colon = name.find(':');
  const std::string digits = colon == std::string::npos ? "" : name.substr(colon + 1);
  if (colon == 0 || digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits[0] == '0') ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return invalid_argument(
        "'" + name + "' is not the name of a device",
        "write KIND:NUMBER with a number of at most three digits, as in cpu:0; see cutset devices");
  return DeviceName{name.substr(0, colon), std::stoi(digits)};
}

DeviceDescription::DeviceDescription(const cutset_backend* backend, cutset_device_info info, std::string name)
    : backend_(backend), info_(info), name_(std::move(name)), kernels_(*backend) {}

Result<KernelChoice> DeviceDescription::choose(const OpInfo& op, const void* attributes, const Types& in,
                                               const Types& out) const {
  AbiProblem problem(op, attributes, in, out);
  KernelChoice choice;
  for (const cutset_kernel* kernel : kernels_.of(op.name)) {
    const cutset_error* refusal = kernel->supports(&info_, problem.get());
    if (!refusal) {
      choice.kernel = kernel;
      return choice;
    }
    if (refusal->code != CUTSET_UNSUPPORTED) return failure_of(name_ + ": " + kernel->name, *refusal);
    choice.refusals.push_back(std::string(kernel->name) + ": " + message_of(*refusal));
  }
  std::string why;
  for (const std::string& r : choice.refusals) why += (why.empty() ? "" : "; ") + r;
  return unsupported(name_ + " has no kernel for " + op.name + (why.empty() ? "" : ": " + why));
}

Status DeviceDescription::supports(const cutset_kernel* kernel, const cutset_problem& problem) const {
  const cutset_error* refusal = kernel->supports(&info_, &problem);
  if (!refusal) return {};
  if (refusal->code != CUTSET_UNSUPPORTED) return failure_of(name_ + ": " + kernel->name, *refusal);
  return unsupported(name_ + ": kernel '" + kernel->name +
                     "' does not support this problem: " + message_of(*refusal));
}

Result<uint64_t> DeviceDescription::scratch(const cutset_kernel* kernel, const OpInfo& op,
                                            const void* attributes, const Types& in, const Types& out) const {
  AbiProblem problem(op, attributes, in, out);
  uint64_t most = 0;
  for (const cutset_kernel* k : kernels_from(kernel)) {
    if (k->supports(&info_, problem.get())) continue;  // an error of the backend is found by `prepare`
    uint64_t bytes = 0;
    if (const cutset_error* e = k->scratch(&info_, problem.get(), &bytes))
      return failure_of(name_ + ": " + k->name, *e);
    constexpr uint64_t kLimit = uint64_t{1} << 48;  // the limit of cutset_device.h
    if (bytes > kLimit)
      return execution_failed(name_ + ": " + k->name + " asks for " + std::to_string(bytes) +
                              " bytes of scratch memory, and the limit is 2^48");
    most = std::max(most, bytes);
    const bool may_be_wrong = k->size > offsetof(cutset_kernel, identity) && k->identity;
    if (!may_refuse(*k) && !may_be_wrong) break;
  }
  return most;
}

double DeviceDescription::seconds(const Cost& cost) const {
  const double arithmetic = info_.flops_per_second > 0 ? cost.flops / info_.flops_per_second : 0;
  const double memory =
      info_.bytes_per_second > 0 ? (cost.bytes_read + cost.bytes_written) / info_.bytes_per_second : 0;
  return std::max(arithmetic, memory) + info_.launch_seconds;
}

double DeviceDescription::transfer_seconds(int64_t bytes) const {
  return info_.link_seconds +
         (info_.link_bytes_per_second > 0 ? static_cast<double>(bytes) / info_.link_bytes_per_second : 0);
}

Result<DeviceList> describe_devices(const DeviceOptions& options) {
  CUTSET_TRY(load_op_libraries());  // a backend lists the ops when it is loaded
  std::vector<std::string> names;
  std::stringstream list(options.devices);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  if (names.empty()) return invalid_argument("no device is named", "for example cpu:0");
  if (options.devices.ends_with(',')) names.emplace_back();  // getline does not see an empty last name
  int cpu_devices = 0;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    CUTSET_ASSIGN(DeviceName parsed, parse_device_name(name));
    if (!seen.insert(name).second) return invalid_argument("device '" + name + "' is named twice");
    cpu_devices += parsed.kind == "cpu";
  }
  CUTSET_ASSIGN(const DeviceFile file, read_known_devices(options.device_file));
  DeviceList devices;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (const std::string& name : names) {
    CUTSET_ASSIGN(DeviceName parsed, parse_device_name(name));
    CUTSET_ASSIGN(const cutset_backend* backend, load_backend(parsed.kind));
    cutset_device_info info{};
    info.size = sizeof info;
    info.index = parsed.index;
    info.seed = options.simulation_seed;
    info.threads = options.threads ? options.threads : std::max(1, cores / std::max(1, cpu_devices));
    apply(file, name,
          info);  // before `describe`, because the backend may derive speeds from the number of threads
    if (options.one_thread) info.threads = 1;
    const cutset_device_info asked = info;
    if (const cutset_error* e = backend->describe(&info))
      return unavailable("device '" + name + "': " + message_of(*e), "see cutset devices");
    CUTSET_TRY(check_description(asked, info, name));
    apply(file, name, info);
    if (options.one_thread) info.threads = 1;
    if (const cutset_error* e = options.describe_only ? nullptr : backend->available(&info))
      return unavailable("device '" + name + "': " + message_of(*e), "see cutset devices");
    devices.push_back(std::make_shared<DeviceDescription>(backend, info, name));
  }
  return devices;
}

}  // namespace cutset
