#include "runtime/device.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "runtime/device_file.h"

namespace cutset {
namespace {

namespace fs = std::filesystem;
constexpr const char* kPrefix = "libcutset_device_";

// Where backends lie: CUTSET_BACKEND_PATH, then beside this library.
std::vector<fs::path> backend_folders() {
  std::vector<fs::path> folders;
  if (const char* given = std::getenv("CUTSET_BACKEND_PATH")) {
    std::stringstream list(given);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty()) folders.emplace_back(folder);
  }
  Dl_info here;
  if (dladdr(reinterpret_cast<void*>(&backend_folders), &here) && here.dli_fname)
    folders.push_back(fs::absolute(here.dli_fname).parent_path());
  return folders;
}

std::map<std::string, fs::path> find_backends() {
  std::map<std::string, fs::path> found;
  for (const fs::path& folder : backend_folders()) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      std::string file = entry.path().filename().string();
      if (file.rfind(kPrefix, 0) == 0 && entry.path().extension() == ".so")
        found.emplace(file.substr(std::string(kPrefix).size(), file.size() - std::string(kPrefix).size() - 3),
                      entry.path());
    }
  }
  return found;
}

Result<const cutset_backend*> load_backend(const std::string& kind) {
  static std::mutex mutex;
  static std::map<std::string, const cutset_backend*> loaded;
  std::lock_guard lock(mutex);
  if (auto it = loaded.find(kind); it != loaded.end()) return it->second;
  auto files = find_backends();
  auto file = files.find(kind);
  if (file == files.end()) {
    std::string known;
    for (const auto& [name, path] : files) known += (known.empty() ? "" : " ") + name;
    return unavailable("no backend for devices of kind '" + kind + "'", "here: " + known + "; see cutset devices");
  }
  // An OpenMP runtime that a backend brings reads its settings once, when it is loaded. Threads that
  // spin while they wait take the cores from every other device; a few microseconds of it save the way
  // through the kernel between two kernels of a step.
  if (!std::getenv("OMP_WAIT_POLICY")) setenv("GOMP_SPINCOUNT", "20000", 0);
  setenv("OMP_WAIT_POLICY", "PASSIVE", 0);
  void* library = dlopen(file->second.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return unavailable("cannot load the backend for '" + kind + "': " + dlerror(), "run third_party/setup.sh");
  auto open = reinterpret_cast<cutset_backend_open_function>(dlsym(library, CUTSET_BACKEND_SYMBOL));
  const cutset_backend* backend = open ? open(CUTSET_DEVICE_ABI) : nullptr;
  if (!backend || backend->abi != CUTSET_DEVICE_ABI || backend->size < sizeof(cutset_backend))
    return unavailable("the backend for '" + kind + "' does not speak version " + std::to_string(CUTSET_DEVICE_ABI) +
                           " of the device ABI",
                       "rebuild it");
  loaded[kind] = backend;
  return backend;
}

struct DeviceName {
  std::string kind;
  int index;
};
Result<DeviceName> parse_name(const std::string& name) {
  const size_t colon = name.find(':');
  const std::string digits = colon == std::string::npos ? "" : name.substr(colon + 1);
  if (colon == 0 || digits.empty() || digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string::npos)
    return invalid_argument("'" + name + "' is not the name of a device",
                            "write KIND:NUMBER, as in cpu:0; see cutset devices");
  return DeviceName{name.substr(0, colon), std::stoi(digits)};
}

cutset_device_info empty_info() {
  cutset_device_info info{};
  info.size = sizeof info;
  return info;
}

}  // namespace

AbiProblem::AbiProblem(const OpInfo& op, const void* attributes, const Types& in, const Types& out) {
  held_.reserve(in.size() + out.size());
  held_.insert(held_.end(), in.begin(), in.end());
  held_.insert(held_.end(), out.begin(), out.end());
  for (const TensorType& t : held_) types_.push_back({t.shape.data(), t.rank(), static_cast<int32_t>(t.dtype)});
  problem_ = {op.name, attributes, types_.data(), types_.data() + in.size(), in.size(), out.size()};
}

Result<KernelChoice> DeviceDescription::choose(const OpInfo& op, const void* attributes, const Types& in,
                                               const Types& out) const {
  AbiProblem problem(op, attributes, in, out);
  KernelChoice choice;
  for (size_t i = 0; i < backend_->kernel_count; ++i) {
    const cutset_kernel& kernel = backend_->kernels[i];
    if (std::string_view(kernel.op) != op.name) continue;
    const char* refusal = kernel.supports(problem.get());
    if (!refusal) {
      choice.kernel = &kernel;
      return choice;
    }
    choice.refusals.push_back(std::string(kernel.name) + ": " + refusal);
  }
  std::string why;
  for (const std::string& r : choice.refusals) why += (why.empty() ? "" : "; ") + r;
  return unsupported(name_ + " has no kernel for " + op.name + (why.empty() ? "" : ": " + why));
}

const cutset_kernel* DeviceDescription::find_kernel(const std::string& name) const {
  for (size_t i = 0; i < backend_->kernel_count; ++i)
    if (name == backend_->kernels[i].name) return &backend_->kernels[i];
  return nullptr;
}

Result<uint64_t> DeviceDescription::scratch(const cutset_kernel* kernel, const OpInfo& op, const void* attributes,
                                            const Types& in, const Types& out) const {
  AbiProblem problem(op, attributes, in, out);
  uint64_t bytes = 0;
  if (const char* e = kernel->scratch(&info_, problem.get(), &bytes))
    return execution_failed(name_ + ": " + kernel->name + ": " + e);
  return bytes;
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
  std::vector<std::string> names;
  std::stringstream list(options.devices);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  if (names.empty()) return invalid_argument("no device given", "for example --devices cpu:0");
  int cpu_devices = 0;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    CUTSET_ASSIGN(DeviceName parsed, parse_name(name));
    if (!seen.insert(name).second) return invalid_argument("device '" + name + "' is named twice");
    cpu_devices += parsed.kind == "cpu";
  }
  DeviceList devices;
  for (const std::string& name : names) {
    CUTSET_ASSIGN(DeviceName parsed, parse_name(name));
    CUTSET_ASSIGN(const cutset_backend* backend, load_backend(parsed.kind));
    cutset_device_info info = empty_info();
    info.index = parsed.index;
    info.seed = options.simulation_seed;
    info.threads = options.threads
                       ? options.threads
                       : std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / std::max(1, cpu_devices));
    CUTSET_TRY(apply_device_file(options.device_file, name, info));  // threads, which the backend may look at
    if (options.one_thread) info.threads = 1;
    if (const char* e = backend->describe(&info))
      return unavailable("device '" + name + "': " + e, "see cutset devices");
    CUTSET_TRY(apply_device_file(options.device_file, name, info));
    if (options.one_thread) info.threads = 1;
    if (const char* e = options.describe_only ? nullptr : backend->available(&info))
      return unavailable("device '" + name + "': " + e, "see cutset devices");
    devices.push_back(std::make_shared<DeviceDescription>(backend, info, name));
  }
  return devices;
}

std::vector<BackendReport> report_backends() {
  std::vector<BackendReport> rows;
  auto files = find_backends();
  for (const char* expected : {"cpu", "opencl", "reference", "sim"}) files.emplace(expected, "");
  for (const auto& [kind, path] : files) {
    BackendReport row{"", kind, "", ""};
    if (path.empty()) {
      row.missing = "not built here: its library was not found when Cutset was configured; run third_party/setup.sh";
    } else if (auto backend = load_backend(kind); !backend) {
      row.missing = backend.error().text();
    } else {
      cutset_device_info info = empty_info();
      info.threads = static_cast<int>(std::thread::hardware_concurrency());
      row.backend = (*backend)->name;
      const char* e = (*backend)->describe(&info);
      if (!e) row.description = info.description, e = (*backend)->available(&info);
      if (e) row.missing = e;
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace cutset
