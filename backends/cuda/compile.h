// SPDX-License-Identifier: Apache-2.0
// Compiles the source of kernels with NVRTC.
#pragma once
#include <string>
#include <vector>

namespace cutset::cuda {

// Returns the machine code (a cubin) of a source for an architecture such as "sm_90". The result is kept in a
// file (code_cache.h), because a compilation takes about 0.1 s. `again` compiles the source even if there is
// a file, and replaces the file. Throws abi::Exception with the compiler's log if the source does not
// compile. Any thread may call it.
std::string compile(const std::string& source, const std::string& architecture, bool again = false);

// Returns the options with which every source is compiled for an architecture.
std::vector<std::string> compiler_options(const std::string& architecture);

}  // namespace cutset::cuda
