// SPDX-License-Identifier: Apache-2.0
// Defines the language of backends/portable in CUDA C++, and the code that this backend's own kernels share.
// Such a kernel is CUDA C++ with the macros of backends/portable, so that TENSOR and BIND work the same way.
#pragma once
#include "backends/portable/launches.h"

namespace cutset::cuda {

using namespace portable;

inline constexpr int64_t kThreads = 256;  // per block, in flat launches and in this backend's own kernels
// The most blocks of a launch in the second and third dimension (CUDA C++ Programming Guide, "Compute
// Capabilities").
inline constexpr int64_t kMostBlocks = 65535;

// The definitions that precede the source of every kernel.
extern const char* const kLanguage;

// The source of the function TOTAL join_block(TOTAL v), which joins the numbers of all threads of a block of
// kThreads threads in a fixed order. Thread 0 gets the result; the results of the other threads have no
// meaning. Three macros must be defined before it: TOTAL, a type of 4 or 8 bytes; JOIN(a, b); and FIRST, the
// neutral number. A kernel calls __syncthreads between two calls.
extern const char* const kJoinBlock;

}  // namespace cutset::cuda
