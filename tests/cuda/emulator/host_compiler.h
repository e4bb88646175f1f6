// SPDX-License-Identifier: Apache-2.0
// Compiles the source of kernels for the CPU: it runs a C++ compiler and returns the bytes of a shared
// library.
//
// Environment variables:
// - CUTSET_CUDA_DOUBLE_COMPILER: the C++ compiler, g++ or clang++; by default the compiler that built the
//   double.
// - CUTSET_CUDA_DOUBLE_FLAGS: further flags, separated by spaces; by default the sanitizers of the build.
// - CUTSET_CUDA_DOUBLE_CACHE: a folder that keeps compiled libraries; by default nothing is kept.
// - CUTSET_CUDA_DOUBLE_WITHOUT: KERNEL:N removes barrier number N, counted from 1, from each source with this
//   kernel, so that tests see whether they find a missing barrier.
//
// Any thread and any process may compile at the same time.
#pragma once
#include <string>
#include <vector>

namespace cutset::cuda::doubles {

struct Compiled {
  bool succeeded = false;
  std::string library;  // the bytes
  std::string log;      // the log of the compiler
};

// Compiles the text of a kernel source, to which it adds the language and the KernelLibrary. `name` appears
// in the messages of the compiler; `flags` are added to the command.
Compiled compile_for_host(const std::string& source, const std::string& name,
                          const std::vector<std::string>& flags);

// Returns the names of the kernels of a source: the names in KERNEL(...), except in lines that begin with #.
std::vector<std::string> kernel_names(const std::string& source);

}  // namespace cutset::cuda::doubles
