// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/backend_library.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <set>
#include <sstream>
#include <vector>

#include "ir/core/names.h"
#include "runtime/abi/library_file.h"

namespace cutset {
namespace {

namespace fs = std::filesystem;
constexpr const char* kPrefix = "libcutset_device_";

// A backend may load an OpenMP runtime, which reads these settings once, when it is loaded. Settings of the
// user are kept. Threads that spin while they wait take cores from other devices and processes, so they wait
// passively after a short spin. Spinning 2000 times, about 20 microseconds, avoids most system calls between
// two kernels: against 1000 times, the inference of small networks takes 12 to 25 % less time, and three
// trainings at the same time on two cores 4 % more. Spinning 10000 times saved no more, and took 25 % more
// time on shared cores.
//
// The settings are made when this library is loaded, which is before main() in a program that links it.
// Later, another thread of the program might read the environment at the same time, which setenv does not
// allow.
[[maybe_unused]] const bool kWaitsPassively = [] {
  if (!std::getenv("OMP_WAIT_POLICY")) setenv("GOMP_SPINCOUNT", "2000", 0);
  return setenv("OMP_WAIT_POLICY", "PASSIVE", 0) == 0;
}();

// Returns the folder of the library that contains this function, or an empty path if the loader does not
// report it.
fs::path own_folder() {
  Dl_info here;
  if (!dladdr(reinterpret_cast<void*>(&own_folder), &here) || !here.dli_fname) return {};
  std::error_code ignored;
  return fs::absolute(here.dli_fname, ignored).parent_path();
}

std::vector<fs::path> backend_folders() {
  std::vector<fs::path> folders;
  if (const char* path = std::getenv("CUTSET_BACKEND_PATH")) {
    std::stringstream list(path);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty()) folders.emplace_back(folder);
  }
  if (const fs::path own = own_folder(); !own.empty()) folders.push_back(own);
  return folders;
}

const void* address(const void* p) { return p; }
template <class R, class... A>
const void* address(R (*f)(A...)) {
  return reinterpret_cast<const void*>(f);
}

struct Field {
  const char* name;
  const void* value;
};
#define FIELD(of, name) \
  Field { #name, address((of).name) }

Status is_complete(std::initializer_list<Field> fields, const std::string& of) {
  for (const Field& f : fields)
    if (!f.value) return unavailable(of + ": the field '" + f.name + "' is null", "correct the backend");
  return {};
}

// Checks a struct that begins with its size and has at least `least` bytes.
template <class T>
Status check_table(const T* table, const std::string& of, Status (*is_complete)(const T&, const std::string&),
                   size_t least = sizeof(T)) {
  if (!table) return unavailable(of + " is null", "correct the backend");
  if (table->size < least)
    return unavailable(of + ": the field 'size' is " + std::to_string(table->size) +
                           ", and the struct has at least " + std::to_string(least) + " bytes in version " +
                           std::to_string(CUTSET_DEVICE_ABI) + " of the device ABI",
                       "rebuild it");
  return is_complete(*table, of);
}

Status is_complete_kernel(const cutset_kernel& k, const std::string& of) {
  CUTSET_TRY(is_complete({FIELD(k, op), FIELD(k, name)}, of));
  return is_complete(
      {FIELD(k, supports), FIELD(k, scratch), FIELD(k, prepare), FIELD(k, enqueue), FIELD(k, release)},
      of + " ('" + k.name + "')");
}

// The first optional member. From there on, all members are pointers.
constexpr size_t kLeast = offsetof(cutset_backend, memory);

// Returns a copy of the table in which the members beyond its size are null. The size is at least kLeast.
cutset_backend complete(const cutset_backend& b) {
  cutset_backend whole = {};
  const size_t optional = (std::min<size_t>(b.size, sizeof whole) - kLeast) / sizeof(void*) * sizeof(void*);
  std::memcpy(&whole, &b, kLeast + optional);
  whole.size = sizeof whole;
  return whole;
}

Status check_optional(const cutset_backend& b, const std::string& text) {
  using Text = const std::string&;
  if (b.memory)
    CUTSET_TRY(check_table<cutset_memory_functions>(
        b.memory, text + ", the table 'memory'", [](const cutset_memory_functions& t, Text of) {
          return is_complete(
              {FIELD(t, allocate_host), FIELD(t, free_host), FIELD(t, can_copy_peer), FIELD(t, copy_peer)},
              of);
        }));
  if (b.capture)
    CUTSET_TRY(check_table<cutset_capture_functions>(
        b.capture, text + ", the table 'capture'", [](const cutset_capture_functions& t, Text of) {
          return is_complete({FIELD(t, begin), FIELD(t, end), FIELD(t, launch), FIELD(t, release)}, of);
        }));
  if (b.time)
    CUTSET_TRY(check_table<cutset_time_functions>(
        b.time, text + ", the table 'time'", [](const cutset_time_functions& t, Text of) {
          return is_complete(
              {FIELD(t, create), FIELD(t, release), FIELD(t, record), FIELD(t, elapsed), FIELD(t, progress)},
              of);
        }));
  if (b.collectives)
    CUTSET_TRY(check_table<cutset_collective_functions>(
        b.collectives, text + ", the table 'collectives'", [](const cutset_collective_functions& t, Text of) {
          return is_complete(
              {FIELD(t, create), FIELD(t, release), FIELD(t, all_reduce), FIELD(t, send), FIELD(t, receive)},
              of);
        }));
  for (auto [name, reserved] : {std::pair("layouts", b.layouts), std::pair("code", b.code)})
    if (reserved)
      return unavailable(text + ": the field '" + name + "' is reserved in version " +
                             std::to_string(CUTSET_DEVICE_ABI) + " of the device ABI, and must be null",
                         "correct the backend");
  return {};
}

}  // namespace

std::map<std::string, BackendFile> find_backends() {
  std::map<std::string, BackendFile> found;
  const fs::path own = own_folder();
  const size_t prefix = std::strlen(kPrefix);
  for (const fs::path& folder : backend_folders()) {
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
      const std::string file = at->path().filename().string();
      if (file.rfind(kPrefix, 0) != 0 || at->path().extension() != ".so") continue;
      const std::string kind = file.substr(prefix, file.size() - prefix - 3);
      auto [it, first] = found.emplace(kind, BackendFile{at->path(), {}});
      if (!first && folder == own && it->second.hidden.empty()) {
        std::error_code ignored;
        if (!fs::equivalent(it->second.path, at->path(), ignored)) it->second.hidden = at->path();
      }
    }
  }
  return found;
}

std::map<std::string, BackendFile> find_backends_and_expected() {
  auto files = find_backends();
  for (const char* kind : {"cpu", "cuda", "opencl", "reference", "sim"}) files.try_emplace(kind);
  return files;
}

Result<const cutset_backend*> load_backend(const std::string& kind) {
  static std::mutex mutex;
  // Never destroyed, because a session of static storage duration may end after this map would.
  static auto& loaded = *new std::map<std::string, cutset_backend>;
  std::lock_guard lock(mutex);
  if (auto it = loaded.find(kind); it != loaded.end()) return &it->second;
  auto files = find_backends();
  auto file = files.find(kind);
  if (file == files.end()) {
    std::string list;
    std::vector<std::string> known;
    for (const auto& [name, where] : files) {
      known.push_back(name);
      list += (list.empty() ? "" : " ") + name;
    }
    return unavailable(
        "no backend for devices of kind '" + kind + "'",
        "there are backends for: " + list + and_nearest(kind, known) +
            "; the variable CUTSET_BACKEND_PATH names folders with others; see cutset devices");
  }
  const std::string path = file->second.path.string(), text = "the backend '" + path + "'";
  std::string fault = abi::library_fault(path);
  void* library = fault.empty() ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library && fault.empty()) fault = dlerror();
  if (!library)
    return unavailable(
        "cannot load the backend for '" + kind + "': " + fault,
        "install the library that it needs; third_party/setup.sh does so for the backends of Cutset");
  auto open = reinterpret_cast<cutset_backend_open_function>(dlsym(library, CUTSET_BACKEND_SYMBOL));
  if (!open)
    return unavailable(text + " does not export the function " + CUTSET_BACKEND_SYMBOL,
                       "runtime/abi/cutset_device.h describes what a backend must export");
  const cutset_backend* backend = open(CUTSET_DEVICE_ABI);
  if (!backend)
    return unavailable(
        text + " does not implement version " + std::to_string(CUTSET_DEVICE_ABI) + " of the device ABI",
        "rebuild it");
  CUTSET_TRY(check_backend(*backend, kind, path));
  return &(loaded[kind] = complete(*backend));
}

Status check_backend(const cutset_backend& b, const std::string& kind, const std::string& file) {
  const std::string text = "the backend '" + file + "'";
  if (b.abi != CUTSET_DEVICE_ABI)
    return unavailable(text + " implements version " + std::to_string(b.abi) + " of the device ABI, not " +
                           std::to_string(CUTSET_DEVICE_ABI),
                       "rebuild it");
  if (b.size < kLeast)
    return unavailable(text + ": the field 'size' is " + std::to_string(b.size) +
                           ", and cutset_backend has at least " + std::to_string(kLeast) +
                           " bytes in version " + std::to_string(CUTSET_DEVICE_ABI) + " of the device ABI",
                       "rebuild it");
  CUTSET_TRY(is_complete(
      {FIELD(b, name), FIELD(b, kind), FIELD(b, describe), FIELD(b, available), FIELD(b, open),
       FIELD(b, close), FIELD(b, allocate), FIELD(b, free), FIELD(b, queue), FIELD(b, release_queue),
       FIELD(b, event), FIELD(b, release_event), FIELD(b, signal), FIELD(b, wait), FIELD(b, write),
       FIELD(b, read), FIELD(b, copy), FIELD(b, finish), FIELD(b, abandon)},
      text));
  if (kind != b.kind)
    return unavailable(
        text + ": the field 'kind' is '" + b.kind + "', and the name of the file says '" + kind + "'",
        "correct the backend");
  if (b.kernel_count && !b.kernels)
    return unavailable(
        text + ": the field 'kernels' is null, and 'kernel_count' is " + std::to_string(b.kernel_count),
        "correct the backend");
  std::set<std::string_view> names;
  for (size_t i = 0; i < b.kernel_count; ++i) {
    const std::string which = text + ", kernel " + std::to_string(i);
    CUTSET_TRY(check_table(b.kernels[i], which, &is_complete_kernel, offsetof(cutset_kernel, may_refuse)));
    const cutset_kernel& k = *b.kernels[i];
    if (!names.insert(k.name).second)
      return unavailable(which + ": the field 'name' is '" + k.name + "', which an earlier kernel has, too",
                         "correct the backend");
  }
  return check_optional(complete(b), text);
}

Status check_description(const cutset_device_info& asked, const cutset_device_info& info,
                         const std::string& device) {
  auto wrong = [&](const char* field, const std::string& what) {
    return unavailable("device '" + device + "': its backend sets the field '" + field + "' to " + what,
                       "correct the backend");
  };
  if (info.size != asked.size)
    return wrong("size", std::to_string(info.size) + ", and it must stay " + std::to_string(asked.size));
  if (info.index != asked.index)
    return wrong("index", std::to_string(info.index) + ", and it must stay " + std::to_string(asked.index));
  if (info.threads < 0) return wrong("threads", std::to_string(info.threads) + ", which is negative");
  if (info.alignment == 0 || (info.alignment & (info.alignment - 1)) != 0 || info.alignment > 1u << 24)
    return wrong("alignment", std::to_string(info.alignment) + ", which is not a power of two up to 2^24");
  if (!std::memchr(info.description, 0, sizeof info.description))
    return wrong("description", "a text that is not NUL-terminated");
  const std::pair<const char*, double> numbers[] = {{"flops_per_second", info.flops_per_second},
                                                    {"bytes_per_second", info.bytes_per_second},
                                                    {"link_bytes_per_second", info.link_bytes_per_second},
                                                    {"link_seconds", info.link_seconds},
                                                    {"launch_seconds", info.launch_seconds}};
  for (auto [field, value] : numbers)
    if (!(value >= 0) || !std::isfinite(value))
      return wrong(field, std::to_string(value) + ", which is not a finite number of 0 or more");
  return {};
}

}  // namespace cutset
