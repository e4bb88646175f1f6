// SPDX-License-Identifier: Apache-2.0
// Keeps the machine code of kernels in files, so that a later process does not compile them again.
//
// The environment variable CUTSET_CUDA_CACHE names the folder. Without it, the folder is cutset in
// XDG_CACHE_HOME, or else .cache/cutset in HOME. If none of the three variables is set, nothing is kept. An
// empty CUTSET_CUDA_CACHE turns the cache off. Several processes may use the folder at the same time, because
// files are replaced with write_file. A hash detects a damaged file. It does not protect against a change on
// purpose, so the folder must belong to the user.
#pragma once
#include <optional>
#include <string>

namespace cutset::cuda {

// Returns the code for a key, which contains everything that the code depends on. Returns nothing if there is
// no file or if the file is damaged. Throws nothing but std::bad_alloc.
std::optional<std::string> read_cached_code(const std::string& key);
// Keeps the code for a key. A failure is ignored, because the code is also in memory.
void keep_cached_code(const std::string& key, const std::string& code);

}  // namespace cutset::cuda
