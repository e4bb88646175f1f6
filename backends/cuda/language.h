// SPDX-License-Identifier: Apache-2.0
// The language of backends/portable in CUDA C++, and what the kernels of this backend alone have in common.
// Such a kernel is CUDA C++ with the macros of backends/portable, so that TENSOR and BIND work the same way.
#pragma once
#include "backends/portable/launches.h"

namespace cutset::cuda {

using namespace portable;

inline constexpr int64_t kThreads = 256;  // of a block, in flat launches and in this backend's own kernels
// The most blocks of a launch in the second and third dimension (CUDA C++ Programming Guide, "Compute
// Capabilities").
inline constexpr int64_t kMostBlocks = 65535;

// The definitions that precede the source of every kernel.
extern const char* const kLanguage;

// The source of the function TOTAL join_block(TOTAL v), which joins the numbers of all threads of a block of
// kThreads threads in a fixed order. Thread 0 gets the result; the other threads get another number. The
// macros TOTAL, a type of 4 or 8 bytes, JOIN(a, b) and FIRST, the neutral number, must be defined before it.
// A kernel that calls it again calls __syncthreads in between.
extern const char* const kJoinBlock;

}  // namespace cutset::cuda
