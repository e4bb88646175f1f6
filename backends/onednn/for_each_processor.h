// SPDX-License-Identifier: Apache-2.0
// Compiles a function for several instruction sets.
#pragma once

// The best version for the processor is chosen when the library is loaded. This choice would run before
// ThreadSanitizer has started, so builds with ThreadSanitizer have one version only.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define CUTSET_FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CUTSET_FOR_EACH_PROCESSOR
#endif
