// SPDX-License-Identifier: Apache-2.0
// Files in which the host and backends keep what is expensive to compute again: machine code, and verdicts
// about kernels.
#pragma once
#include <filesystem>
#include <string>

// The version is a part of the names, so that a backend of another version cannot be linked with these
// functions.
namespace cutset::abi::inline v2 {

// Returns the file for a key: HASH.EXTENSION in the folder that the environment variable `variable` names, or
// else in cutset/SUBFOLDER below XDG_CACHE_HOME or ~/.cache. Two keys with the same hash have the same file,
// so the file must hold the key. Returns an empty path if the variable is empty or no folder is known;
// nothing is kept then.
std::filesystem::path cache_file(const char* variable, const char* subfolder, const std::string& key,
                                 const char* extension);

// Returns the size and the time of the last change of the library that contains `function`, as text, so that
// what was kept for a library is not used after the library was built again. Returns "unknown library" if the
// loader does not know it.
std::string library_stamp(const void* function);

}  // namespace cutset::abi::inline v2
