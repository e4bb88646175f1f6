// SPDX-License-Identifier: Apache-2.0
// Packs buffers with known lifetimes into one arena. Two buffers may share addresses only if they are never
// alive at the same time.
//
// graph/ holds planning algorithms on plain numbers. It uses no MLIR and no device.
//
// Problem: dynamic storage allocation with known lifetimes, which is NP-hard in general.
// Method: the smallest of several greedy packings. The first kind is a best-fit skyline: it places next the
//   buffer that can be placed lowest. Ties are broken by area, size, lifetime, or the peak during the
//   lifetime; each such order gives one packing. The second kind allocates and frees buffers in the order of
//   time (graph/packing/time_packing.h). The search ends when a packing is within 0.2 % of the lower bound.
// Source: Burke, Kendall and Whitwell, "A new placement heuristic for the orthogonal stock-cutting problem",
//   Operations Research 52(4), 2004, for the skyline.
// Complexity: O(n log n) for n buffers. The work of the skyline is bounded, because nested lifetimes would
//   make it quadratic: the bound is a multiple of n, plus one unit per byte that a better packing can save,
//   up to a constant. The search also ends when this bound on the work is reached.
// Failure: none. graph/packing/buffer_packing_exact.h searches for a packing that fits a given capacity.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace cutset {

struct PackedBuffer {
  int64_t first = 0, last = 0;  // the buffer is alive from `first` to `last`, both included
  uint64_t bytes = 0;
  uint64_t offset = 0;  // result: bytes from the start of the arena
};

struct Packing {
  uint64_t bytes = 0;        // size of the arena
  uint64_t lower_bound = 0;  // the largest number of bytes that are alive at the same time
};

// Sets the offset of every buffer to a multiple of `alignment`, which must be a power of two. The result
// depends only on the arguments.
Packing pack_buffers(std::vector<PackedBuffer>& buffers, uint64_t alignment);

}  // namespace cutset
