// SPDX-License-Identifier: Apache-2.0
// Looks at the file of a library before the loader of the operating system does.
#pragma once
#include <string>

namespace cutset::abi {

// Returns why dlopen(file) must not be called, or an empty text. The loader would wait forever for a pipe,
// and a library that was copied only in part would end the process with SIGBUS. A name without "/" is not
// examined, because the loader searches for it. Returns an empty text for a file that is missing or is no
// library, because the loader reports it.
std::string library_fault(const std::string& file);

}  // namespace cutset::abi
