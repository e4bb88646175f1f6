// SPDX-License-Identifier: Apache-2.0
// Whether the process runs with a sanitizer. The program itself is built without a sanitizer, but loads
// libraries that are built with one.
#pragma once
#include <dlfcn.h>

namespace cutset::testing {

inline bool has_address_sanitizer() { return dlsym(RTLD_DEFAULT, "__asan_init") != nullptr; }
inline bool has_thread_sanitizer() { return dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr; }

}  // namespace cutset::testing
