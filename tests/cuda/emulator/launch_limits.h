// SPDX-License-Identifier: Apache-2.0
// The largest grids and blocks that a GPU can run (CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability").
#pragma once
#include <string>

#include "tests/cuda/emulator/kernel_interface.h"

namespace cutset::cuda::doubles {

inline constexpr unsigned kMostThreads = 1024;      // the most threads of a block
inline constexpr unsigned kMostBlockZ = 64;         // threads of a block in the third dimension
inline constexpr unsigned kMostGridX = 0x7fffffff;  // blocks
inline constexpr unsigned kMostGridYZ = 65535;

// Returns an empty text if a GPU can run such a grid, and otherwise the reason.
std::string launch_problem(Index3 grid, Index3 block);

// Returns "(1, 2, 3)".
std::string text_of(const Index3& index);

}  // namespace cutset::cuda::doubles
