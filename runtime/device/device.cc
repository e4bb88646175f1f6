// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/device.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <thread>

#include "runtime/device/backend_library.h"
#include "runtime/device/device_file.h"
#include "runtime/device/op_libraries.h"

namespace cutset {
namespace {

// The kinds of devices whose backends are part of this project.
constexpr const char* kExpected[] = {"cpu", "cuda", "opencl", "reference", "sim"};

// Reads the device file and refuses devices of unknown kinds, because a misspelt name would otherwise have no
// effect.
Result<DeviceFile> read_known_devices(const std::string& path) {
  CUTSET_ASSIGN(DeviceFile file, read_device_file(path));
  if (file.empty()) return file;
  auto kinds = find_backends();
  for (const char* expected : kExpected) kinds.try_emplace(expected);
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

cutset_device_info empty_info() {
  cutset_device_info info{};
  info.size = sizeof info;
  return info;
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

std::string message_of(const cutset_error& error) {
  if (error.message) return error.message;
  return "its backend gives an error with the code " + std::to_string(error.code) + " and without a message";
}

Failure failure_of(const std::string& who, const cutset_error& error) {
  const std::string what = who + ": " + message_of(error);
  switch (error.code) {
    case CUTSET_UNSUPPORTED:
      return unsupported(what);
    case CUTSET_UNAVAILABLE:
      return unavailable(what, "see cutset devices");
    case CUTSET_OUT_OF_MEMORY:
      return execution_failed(what, "the device is out of memory: use a smaller batch, or more devices");
    default:
      return execution_failed(what);
  }
}

AbiProblem::AbiProblem(const OpInfo& op, const void* attributes, const Types& in, const Types& out) {
  held_.reserve(in.size() + out.size());
  held_.insert(held_.end(), in.begin(), in.end());
  held_.insert(held_.end(), out.begin(), out.end());
  types_.reserve(held_.size()), pointers_.reserve(held_.size());
  for (const TensorType& t : held_) {
    types_.push_back({.size = sizeof(cutset_type),
                      .dtype = static_cast<int32_t>(t.dtype),
                      .rank = t.rank(),
                      .shape = t.shape.data(),
                      .layout = nullptr});
    pointers_.push_back(&types_.back());
  }
  problem_ = {.size = sizeof problem_,
              .op = op.name,
              .attributes = attributes,
              .in = pointers_.data(),
              .out = pointers_.data() + in.size(),
              .in_count = in.size(),
              .out_count = out.size()};
}

Result<std::shared_ptr<const OwnedProblem>> own_problem(const OpInfo& op, const Attributes& attributes,
                                                        const Types& in, const Types& out) {
  CUTSET_ASSIGN(FlatAttrs flat, FlatAttrs::pack(op.schema, attributes));
  return std::make_shared<const OwnedProblem>(op, std::move(flat), in, out);
}

DeviceDescription::DeviceDescription(const cutset_backend* backend, cutset_device_info info, std::string name)
    : backend_(backend), info_(info), name_(std::move(name)) {
  for (size_t i = 0; i < backend_->kernel_count; ++i) {
    const cutset_kernel* kernel = backend_->kernels[i];
    kernels_of_[kernel->op].push_back(kernel);
    kernels_.try_emplace(kernel->name, kernel);
  }
}

Result<KernelChoice> DeviceDescription::choose(const OpInfo& op, const void* attributes, const Types& in,
                                               const Types& out) const {
  AbiProblem problem(op, attributes, in, out);
  KernelChoice choice;
  const auto kernels = kernels_of_.find(op.name);
  for (const cutset_kernel* kernel :
       kernels == kernels_of_.end() ? std::span<const cutset_kernel* const>() : std::span(kernels->second)) {
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

const cutset_kernel* DeviceDescription::find_kernel(std::string_view name) const {
  const auto kernel = kernels_.find(name);
  return kernel == kernels_.end() ? nullptr : kernel->second;
}

Status DeviceDescription::supports(const cutset_kernel* kernel, const cutset_problem& problem) const {
  const cutset_error* refusal = kernel->supports(&info_, &problem);
  if (!refusal) return {};
  if (refusal->code != CUTSET_UNSUPPORTED) return failure_of(name_ + ": " + kernel->name, *refusal);
  return unsupported(name_ + ": kernel '" + kernel->name +
                     "' does not support this problem: " + message_of(*refusal));
}

std::span<const cutset_kernel* const> DeviceDescription::kernels_from(const cutset_kernel* first) const {
  const auto& all = kernels_of_.at(first->op);
  return std::span(all).subspan(static_cast<size_t>(std::find(all.begin(), all.end(), first) - all.begin()));
}

Result<uint64_t> DeviceDescription::scratch(const cutset_kernel* kernel, const OpInfo& op,
                                            const void* attributes, const Types& in, const Types& out) const {
  AbiProblem problem(op, attributes, in, out);
  uint64_t most = 0;
  for (const cutset_kernel* k : kernels_from(kernel)) {
    if (k != kernel && k->supports(&info_, problem.get())) continue;
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

bool is_reference(const cutset_kernel& kernel) {
  return kernel.name == std::string(kernel.op) + ".reference";
}

bool may_refuse(const cutset_kernel& kernel) {
  return kernel.size > offsetof(cutset_kernel, may_refuse) && kernel.may_refuse != 0;
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
  if (options.devices.ends_with(',')) names.emplace_back();  // getline does not see the empty name behind it
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
    cutset_device_info info = empty_info();
    info.index = parsed.index;
    info.seed = options.simulation_seed;
    const int compiled =
        devices.size() < options.compiled_threads.size() ? options.compiled_threads[devices.size()] : 0;
    info.threads = options.threads ? options.threads
                   : compiled      ? std::min(compiled, cores)
                                   : std::max(1, cores / std::max(1, cpu_devices));
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

std::vector<BackendReport> report_backends() {
  std::vector<BackendReport> rows;
  auto files = find_backends();
  for (const char* expected : kExpected) files.try_emplace(expected);
  for (const auto& [kind, file] : files) {
    BackendReport row{"", kind, "", ""};
    if (file.path.empty()) {
      row.missing =
          "not built here: the vendor's library was not found when Cutset was configured; run "
          "third_party/setup.sh";
    } else if (auto backend = load_backend(kind); !backend) {
      row.missing = backend.error().text();
    } else {
      cutset_device_info asked = empty_info();
      asked.threads = static_cast<int>(std::thread::hardware_concurrency());
      cutset_device_info info = asked;
      row.backend = (*backend)->name;
      const cutset_error* e = (*backend)->describe(&info);
      if (e) {
        row.missing = message_of(*e);
      } else if (Status sound = check_description(asked, info, kind + ":0"); !sound.ok()) {
        row.missing = sound.error().text();
      } else {
        row.description = info.description;
        if (!file.hidden.empty())
          row.description += " (" + file.path.string() + " stands in for " + file.hidden.string() + ")";
        if ((e = (*backend)->available(&info))) row.missing = message_of(*e);
      }
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace cutset
