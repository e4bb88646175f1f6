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

// Opens a library. Returns null, and says why, if that fails.
void* open_file(const char* file, std::string& why) {
  why = abi::library_fault(file);
  if (!why.empty()) return nullptr;
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) why = dlerror();
  return library;
}

// Opens the file that the environment variable names, or the first of `names` that exists.
void* open_library(const char* variable, const std::vector<const char*>& names, const char* advice) {
  std::vector<const char*> files = names;
  if (const char* given = std::getenv(variable)) files = {given};
  std::string why;
  for (const char* file : files) {
    if (void* library = open_file(file, why)) return library;
  }
  throw unavailable(why + " (" + advice + ")");
}
void* find_symbol(void* library, const char* what, const char* name) {
  if (void* found = dlsym(library, name)) return found;
  throw unavailable(std::string(what) + " has no function " + name + " (install a newer version)");
}

DriverApi open_driver() {
  void* library = open_library("CUTSET_CUDA_DRIVER", {"libcuda.so.1"}, "install NVIDIA's driver");
  DriverApi api;
#define CUTSET_CUDA_FIND(member, symbol, parameters) \
  api.member = reinterpret_cast<decltype(api.member)>(find_symbol(library, "the CUDA driver", #symbol));
  CUTSET_CUDA_DRIVER_FUNCTIONS(CUTSET_CUDA_FIND)
#undef CUTSET_CUDA_FIND
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
  // A driver loads code of its own major version of CUDA and of earlier ones. Kernels can also be compiled
  // without a driver, for machines that have one.
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
  CompilerApi api;
#define CUTSET_CUDA_FIND(member, symbol, parameters) \
  api.member = reinterpret_cast<decltype(api.member)>(find_symbol(library, "NVRTC", #symbol));
  CUTSET_CUDA_COMPILER_FUNCTIONS(CUTSET_CUDA_FIND)
#undef CUTSET_CUDA_FIND
  int major = 0, minor = 0;
  if (api.version(&major, &minor) != 0 || major > supported / 1000)
    throw unavailable("NVRTC " + std::to_string(major) + "." + std::to_string(minor) +
                      " makes code that the driver for CUDA " + version_text(supported) +
                      " cannot load (install NVRTC of CUDA " + std::to_string(supported / 1000) +
                      ", or update the driver)");
  return api;
}

// The errors after which, as the documentation of CUresult says, the process must be ended to use CUDA again.
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
  static const DriverApi api = open_driver();  // an exception leaves it to the next call to try again
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

std::string open_optional(const OptionalLibrary& library, const std::vector<const char*>& symbols,
                          std::vector<void*>& functions) {
  if (is_set(library.off_variable))
    return std::string("the environment variable ") + library.off_variable + " is set";
  std::vector<const char*> files = library.files;
  if (const char* given = std::getenv(library.file_variable))
    files = {given};
  else if (!is_usual_driver())
    return std::string(library.name) + " uses the driver libcuda.so.1, and the backend uses another file";
  void* opened = nullptr;
  std::string why;
  for (const char* file : files) {
    if ((opened = open_file(file, why))) break;
  }
  if (!opened) return why + " (" + library.advice + ")";
  functions.clear();
  for (const char* symbol : symbols) {
    functions.push_back(dlsym(opened, symbol));
    if (!functions.back())
      return std::string(library.name) + " has no function " + symbol + " (install a newer version)";
  }
  return "";
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace cutset::cuda
