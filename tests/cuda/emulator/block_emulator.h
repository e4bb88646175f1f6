// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of a KernelLibrary on the CPU, block by block. Each CUDA thread is a fiber.
//
// Threads change only where CUDA C++ lets them wait for each other: at __syncthreads, __syncwarp, shuffles
// and votes. The seed determines the order. With seed 0 the blocks, and the threads of a block, run in
// ascending order; with seed 1 in descending order. Other seeds draw the order of the blocks and of the
// threads, and one of three schedules: all warps advance together, a random half of them advances, or one
// warp runs ahead to its next barrier.
//
// Shared memory holds NaN (0xff in each byte) when a block starts. A shuffle from a lane outside the mask
// gives NaN. These are errors:
// - threads that wait at different barriers,
// - a barrier that other threads of the block can no longer reach because they have returned,
// - masks of a warp that disagree or that name a returned thread, and
// - a deadlock.
//
// Under ThreadSanitizer each CUDA thread is a thread of the sanitizer. Barriers order the threads of a block,
// and nothing orders the blocks of a grid, so the sanitizer reports a missing barrier and a race between two
// blocks.
#pragma once
#include <cstdint>
#include <string>

#include "tests/cuda/emulator/kernel_interface.h"

namespace cutset::cuda::doubles {

// Runs a grid. `parameters` holds one pointer per parameter of the kernel. Returns an empty text or an error.
// After an error, the rest of the grid has not run. The caller holds the lock of the driver double.
std::string run_grid(KernelLibrary& library, const KernelEntry& kernel, Index3 grid, Index3 block,
                     void** parameters, uint64_t seed);

}  // namespace cutset::cuda::doubles
