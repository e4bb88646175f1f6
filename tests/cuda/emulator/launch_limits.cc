// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/emulator/launch_limits.h"

#include <cstdint>

namespace cutset::cuda::doubles {
namespace {

std::string past(const char* what, uint64_t value, uint64_t limit) {
  return std::string(what) + " is " + std::to_string(value) + ", and the limit is " + std::to_string(limit);
}

}  // namespace

std::string text_of(const Index3& i) {
  return "(" + std::to_string(i.x) + ", " + std::to_string(i.y) + ", " + std::to_string(i.z) + ")";
}

std::string launch_problem(Index3 grid, Index3 block) {
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (!grid.x || !grid.y || !grid.z) return "the grid has no blocks: its size is " + text_of(grid);
  if (!block.x || !block.y || !block.z) return "a block has no threads: its size is " + text_of(block);
  if (block.x > kMostThreads || block.y > kMostThreads || threads > kMostThreads)
    return past("the number of threads of a block", threads, kMostThreads);
  if (block.z > kMostBlockZ) return past("the size of a block in z", block.z, kMostBlockZ);
  if (grid.x > kMostGridX) return past("the size of the grid in x", grid.x, kMostGridX);
  if (grid.y > kMostGridYZ) return past("the size of the grid in y", grid.y, kMostGridYZ);
  if (grid.z > kMostGridYZ) return past("the size of the grid in z", grid.z, kMostGridYZ);
  return "";
}

}  // namespace cutset::cuda::doubles
