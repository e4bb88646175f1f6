// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver and compiler, which are opened at run time. The backend thus loads on machines without
// them.
#pragma once
#include <string>
#include <vector>

#include "backends/cuda/compiler_api.h"
#include "backends/cuda/driver_api.h"
#include "backends/cuda/symbols.h"

namespace cutset::cuda {

// Return the functions of the driver (libcuda.so.1) and of the compiler (libnvrtc). The first call of a
// process opens the library; the environment variables CUTSET_CUDA_DRIVER and CUTSET_CUDA_COMPILER name other
// files. Throw abi::Exception with CUTSET_UNAVAILABLE and the reason if the library is missing or too old.
// Any thread may call them.
const DriverApi& driver();
const CompilerApi& compiler();

// Whether the driver is the library libcuda.so.1, which other libraries of NVIDIA open themselves.
// CUTSET_CUDA_DRIVER can name another file.
bool is_usual_driver();

// Throws abi::Exception if a call of the driver has failed. `call` names the function.
void check(Status status, const char* call);
// Throws abi::Exception if a call of the compiler has failed.
void check_compiler(CompilerStatus status, const char* call);

// Calls a function of the driver by its member name and checks the status: CUTSET_CUDA(allocate, &address,
// bytes).
#define CUTSET_CUDA(member, ...) \
  ::cutset::cuda::check(::cutset::cuda::driver().member(__VA_ARGS__), ::cutset::cuda::DriverNames::member)

// Returns "13.0" for 13000, as the driver counts versions.
std::string version_text(int version);
// Returns "9.26.1" for 92601, as cuDNN and cuBLASLt count versions.
std::string library_version_text(size_t version);

// A library of NVIDIA that the backend uses if it is installed.
struct OptionalLibrary {
  const char* name;                // for messages: "NCCL"
  const char* file_variable;       // the environment variable with another file
  const char* off_variable;        // the environment variable that turns the library off
  std::vector<const char*> files;  // the first file that exists is used
  const char* advice;              // how to install the library
};
// Opens an optional library. Returns it, or null with the reason in `why`. If the environment variable names
// no file, the library is used only together with libcuda.so.1, because it opens that driver itself. Throws
// abi::Exception if the backend's driver cannot be opened.
void* open_optional(const OptionalLibrary& library, std::string& why);
// Opens an optional library and sets `api` to its functions. Returns an empty text, or the reason why the
// library cannot be used.
template <class Api>
std::string load_optional(const OptionalLibrary& library, Api& api) {
  std::string why;
  void* const opened = open_optional(library, why);
  if (!opened) return why;
  const char* missing = nullptr;
  api = find_functions<Api>(opened, missing);
  return missing ? std::string(library.name) + " has no function " + missing + " (install a newer version)"
                 : "";
}

// Whether the environment variable is set to a value other than 0.
bool is_set(const char* variable);

}  // namespace cutset::cuda
