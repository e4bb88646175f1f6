// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver and compiler, which are opened at run time. The backend thus loads on machines without
// them.
#pragma once
#include <string>
#include <vector>

#include "backends/cuda/compiler_api.h"
#include "backends/cuda/driver_api.h"

namespace cutset::cuda {

// Return the functions of the driver (libcuda.so.1) and of the compiler (libnvrtc). The first call of a
// process opens the library; the environment variables CUTSET_CUDA_DRIVER and CUTSET_CUDA_COMPILER name other
// files. Throw abi::Exception with CUTSET_UNAVAILABLE and the reason if the library is missing or too old.
// Any thread may call them.
const DriverApi& driver();
const CompilerApi& compiler();

// Whether the driver is the library libcuda.so.1, which other libraries of NVIDIA open themselves. It is
// another file if CUTSET_CUDA_DRIVER names one.
bool is_usual_driver();

// Throws abi::Exception if a call of the driver has failed. `call` names the function.
void check(Status status, const char* call);
// Throws abi::Exception if a call of the compiler has failed.
void check_compiler(CompilerStatus status, const char* call);

// Calls a function of the driver by its member name and checks the status: CUTSET_CUDA(allocate, &address,
// bytes).
#define CUTSET_CUDA(member, ...) \
  ::cutset::cuda::check(::cutset::cuda::driver().member(__VA_ARGS__), ::cutset::cuda::DriverNames::member)

// "13.0" for 13000, as the driver counts versions.
std::string version_text(int version);
// "9.26.1" for 92601, as cuDNN and cuBLASLt count versions.
std::string library_version_text(size_t version);

// A library of NVIDIA without which the backend works, too.
struct OptionalLibrary {
  const char* name;                // for messages: "NCCL"
  const char* file_variable;       // the environment variable with another file
  const char* off_variable;        // the environment variable that turns the library off
  std::vector<const char*> files;  // the first one that exists is used
  const char* advice;              // how to install the library
};
// Opens an optional library and sets `functions[i]` to its function `symbols[i]`. Returns an empty text, or
// the reason why the library cannot be used. Without the environment variable with another file, the library
// is used only together with libcuda.so.1, because it opens that driver itself. Throws abi::Exception if the
// backend's driver cannot be opened.
std::string open_optional(const OptionalLibrary& library, const std::vector<const char*>& symbols,
                          std::vector<void*>& functions);
// Opens `library` and stores its functions in `api`. FUNCTIONS is the list of them, for example
// CUTSET_CUDA_NCCL_FUNCTIONS. `why` is set to what open_optional returns.
#define CUTSET_CUDA_OPEN_OPTIONAL(FUNCTIONS, library, api, why) \
  do {                                                          \
    std::vector<const char*> symbols;                           \
    std::vector<void*> functions;                               \
    FUNCTIONS(CUTSET_CUDA_SYMBOL)                               \
    (why) = open_optional(library, symbols, functions);         \
    size_t next = 0;                                            \
    if ((why).empty()) {                                        \
      auto& table = api;                                        \
      FUNCTIONS(CUTSET_CUDA_STORE)                              \
    }                                                           \
  } while (false)
#define CUTSET_CUDA_SYMBOL(result, member, symbol, parameters) symbols.push_back(#symbol);
#define CUTSET_CUDA_STORE(result, member, symbol, parameters) \
  table.member = reinterpret_cast<decltype(table.member)>(functions[next++]);

// Whether the environment variable is set to a value other than 0.
bool is_set(const char* variable);

}  // namespace cutset::cuda
