// SPDX-License-Identifier: Apache-2.0
// The part of NVRTC, NVIDIA's run-time compiler for CUDA C++, that this backend uses. driver_api.h says why
// it is declared here. NVIDIA's NVRTC documentation describes each function.
#pragma once
#include <cstddef>

namespace cutset::cuda {

using CompilerStatus = int;                     // nvrtcResult; 0 is success
using SourceProgram = struct SourceProgram_t*;  // nvrtcProgram

#define CUTSET_CUDA_COMPILER_FUNCTIONS(F)                                                          \
  F(version, nvrtcVersion, (int* major, int* minor))                                               \
  F(create, nvrtcCreateProgram,                                                                    \
    (SourceProgram * program, const char* source, const char* name, int headers,                   \
     const char* const* header_text, const char* const* header_names))                             \
  F(compile, nvrtcCompileProgram, (SourceProgram program, int options, const char* const* option)) \
  F(code_size, nvrtcGetCUBINSize, (SourceProgram program, size_t* bytes))                          \
  F(code, nvrtcGetCUBIN, (SourceProgram program, char* code))                                      \
  F(assembly_size, nvrtcGetPTXSize, (SourceProgram program, size_t* bytes))                        \
  F(assembly, nvrtcGetPTX, (SourceProgram program, char* text))                                    \
  F(log_size, nvrtcGetProgramLogSize, (SourceProgram program, size_t* bytes))                      \
  F(log, nvrtcGetProgramLog, (SourceProgram program, char* log))                                   \
  F(release, nvrtcDestroyProgram, (SourceProgram * program))

// Pointers to the compiler's functions.
struct CompilerApi {
#define CUTSET_CUDA_MEMBER(member, symbol, parameters) CompilerStatus(*member) parameters = nullptr;
  CUTSET_CUDA_COMPILER_FUNCTIONS(CUTSET_CUDA_MEMBER)
#undef CUTSET_CUDA_MEMBER
#define CUTSET_CUDA_SYMBOL(member, symbol, parameters) #symbol,
  static constexpr const char* kSymbols[] = {CUTSET_CUDA_COMPILER_FUNCTIONS(CUTSET_CUDA_SYMBOL)};
#undef CUTSET_CUDA_SYMBOL
};

}  // namespace cutset::cuda
