// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <limits>
#include <string_view>

#include "runtime/abi/error.h"
#include "runtime/abi/library_file.h"

namespace cutset::cuda {
namespace {

constexpr int kOldestDriver = 12000;  // the first driver with every function of driver_api.h

abi::Exception unavailable(const std::string& why) { return {CUTSET_UNAVAILABLE, why}; }

// Opens a library. Returns null with the reason in `why` if that fails.
void* open_file(const char* file, std::string& why) {
  why = abi::library_fault(file);
  if (!why.empty()) return nullptr;
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) why = dlerror();
  return library;
}

// Opens the first of `files` that can be opened. Returns null with the reason in `why` if there is none.
void* open_first(const std::vector<const char*>& files, std::string& why) {
  for (const char* file : files)
    if (void* library = open_file(file, why)) return library;
  return nullptr;
}

// Opens the file that the environment variable names, or the first of `names` that can be opened.
void* open_library(const char* variable, const std::vector<const char*>& names, const char* advice) {
  const char* const file = std::getenv(variable);
  std::string why;
  if (void* library = open_first(file ? std::vector{file} : names, why)) return library;
  throw unavailable(why + " (" + advice + ")");
}
template <class Api>
Api load_functions(void* library, const char* name) {
  const char* missing = nullptr;
  const Api api = find_functions<Api>(library, missing);
  if (!missing) return api;
  throw unavailable(std::string(name) + " has no function " + missing + " (install a newer version)");
}

DriverApi open_driver() {
  void* library = open_library("CUTSET_CUDA_DRIVER", {"libcuda.so.1"}, "install NVIDIA's driver");
  const auto api = load_functions<DriverApi>(library, "the CUDA driver");
  if (const Status status = api.init(0); status != kSuccess) {
    const char* text = nullptr;
    api.error_text(status, &text);
    throw unavailable("the CUDA driver cannot start: " +
                      (text ? std::string(text) : "error " + std::to_string(status)));
  }
  int version = 0;
  if (api.driver_version(&version) != kSuccess || version < kOldestDriver)
    throw unavailable("the driver supports CUDA " + version_text(version) + ", and this backend needs " +
                      version_text(kOldestDriver) + " (update NVIDIA's driver)");
  return api;
}
CompilerApi open_compiler() {
  // A driver loads code of its own major version of CUDA and of earlier versions. Kernels can also be
  // compiled without a driver, for machines that have one.
  int supported = std::numeric_limits<int>::max();
  try {
    CUTSET_CUDA(driver_version, &supported);
  } catch (const abi::Exception&) {
  }
  std::vector<const char*> names = {"libnvrtc.so.12", "libnvrtc.so"};
  if (supported >= 13000) names.insert(names.begin(), "libnvrtc.so.13");
  void* library =
      open_library("CUTSET_CUDA_COMPILER", names,
                   "install NVRTC of CUDA 12 or 13, for example the package nvidia-cuda-nvrtc of PyPI, and "
                   "add its folder to LD_LIBRARY_PATH");
  const auto api = load_functions<CompilerApi>(library, "NVRTC");
  int major = 0, minor = 0;
  if (api.version(&major, &minor) != 0 || major > supported / 1000)
    throw unavailable("NVRTC " + std::to_string(major) + "." + std::to_string(minor) +
                      " makes code that the driver for CUDA " + version_text(supported) +
                      " cannot load (install NVRTC of CUDA " + std::to_string(supported / 1000) +
                      ", or update the driver)");
  return api;
}

// Whether the process must be ended before CUDA can be used again (the documentation of CUresult).
bool is_lost(Status status) {
  constexpr Status kUncorrectableMemory = 214, kIllegalAddress = 700, kLaunchTimeout = 702,
                   kContextIsDestroyed = 709, kAssert = 710, kHardwareStack = 714, kIllegalInstruction = 715,
                   kMisalignedAddress = 716, kInvalidAddressSpace = 717, kInvalidProgramCounter = 718;
  for (Status lost :
       {kUncorrectableMemory, kIllegalAddress, kLaunchTimeout, kContextIsDestroyed, kAssert, kHardwareStack,
        kIllegalInstruction, kMisalignedAddress, kInvalidAddressSpace, kInvalidProgramCounter, kLaunchFailed})
    if (status == lost) return true;
  return false;
}

}  // namespace

const DriverApi& driver() {
  static const DriverApi api = open_driver();  // if this throws, the next call tries again
  return api;
}
const CompilerApi& compiler() {
  static const CompilerApi api = open_compiler();
  return api;
}

bool is_usual_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  const bool same = dlsym(library, "cuInit") == reinterpret_cast<void*>(driver().init);
  dlclose(library);
  return same;
}

void check(Status status, const char* call) {
  if (status == kSuccess) return;
  const char *name = nullptr, *text = nullptr;
  driver().error_name(status, &name);
  driver().error_text(status, &text);
  const cutset_code code = status == kOutOfMemory                            ? CUTSET_OUT_OF_MEMORY
                           : is_lost(status)                                 ? CUTSET_DEVICE_LOST
                           : status == kNoDevice || status == kInvalidDevice ? CUTSET_UNAVAILABLE
                                                                             : CUTSET_FAILED;
  throw abi::Exception(code, std::string("the CUDA driver's function ") + call +
                                 " failed: " + (name ? name : "error " + std::to_string(status)) +
                                 (text ? std::string(", ") + text : ""));
}

void check_compiler(CompilerStatus status, const char* call) {
  if (status == 0) return;
  throw abi::Exception(CUTSET_FAILED, std::string("NVRTC's function ") + call + " failed with error " +
                                          std::to_string(status));
}

std::string library_version_text(size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && std::string_view(value) != "0";
}

void* open_optional(const OptionalLibrary& library, std::string& why) {
  const char* const file = std::getenv(library.file_variable);
  if (is_set(library.off_variable)) {
    why = std::string("the environment variable ") + library.off_variable + " is set";
    return nullptr;
  }
  if (!file && !is_usual_driver()) {
    why = std::string(library.name) + " uses the driver libcuda.so.1, and the backend uses another file";
    return nullptr;
  }
  void* const opened = open_first(file ? std::vector{file} : library.files, why);
  if (!opened) why += std::string(" (") + library.advice + ")";
  return opened;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace cutset::cuda
