// SPDX-License-Identifier: Apache-2.0
// Looks at the file of a library before the loader of the operating system does.
#pragma once
#include <string>

namespace cutset::abi {

// Returns why dlopen(file) must not be called, or an empty text. The loader waits for ever for a pipe, and a
// library that was copied in part ends the process with SIGBUS. A name without "/" is searched for by the
// loader, and is not examined. A file that is missing or no library is left to the loader, which says so.
std::string library_fault(const std::string& file);

}  // namespace cutset::abi
