// SPDX-License-Identifier: Apache-2.0
// Finds a packing of buffers that fits a given capacity, or proves that there is none. Only `cutset solve`
// uses this search: compilations use graph/packing/buffer_packing.h.
//
// Problem: the decision form of dynamic storage allocation, which is NP-complete.
// Method: depth-first search that places buffers from the bottom up, each on another buffer or on the bottom.
//   A branch ends when the bytes that are left to place in some section of time exceed its free bytes. The
//   search branches over a small set of candidates for the next buffer: the candidates of one section, or of
//   all sections together. Groups of buffers whose lifetimes do not overlap are solved separately. A failure
//   names the buffers that it depends on, so the search goes back to the last placement that matters to them
//   (conflict-directed backjumping). The search remembers groups that failed, and restarts with six orders of
//   the buffers and with growing limits.
// Source: Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning",
//   ASPLOS 2023, for the bound, the groups and the orders; Prosser, "Hybrid algorithms for the constraint
//   satisfaction problem", Computational Intelligence 9(3), 1993, for backjumping.
// Complexity: exponential in the number of buffers in the worst case, so the search has limits of time and
// memory. Failure: the result has no packing.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/packing/buffer_packing.h"

namespace cutset {

struct ExactResult {
  // The packing that was found. If there is none and neither limit below ended the search, no packing fits
  // the capacity.
  std::optional<Packing> packing;
  bool timed_out = false;      // the search took more time than it was given
  bool out_of_memory = false;  // the search would hold more than 1 GiB
  uint64_t nodes = 0;          // partial solutions that the search visited
};

// Searches for offsets, multiples of `alignment` (a power of two), with which all buffers lie within
// `capacity` bytes. `seconds` limits the time. The offsets of `buffers` are set only if a packing was found.
ExactResult pack_exactly(std::vector<PackedBuffer>& buffers, uint64_t alignment, uint64_t capacity,
                         double seconds);

}  // namespace cutset
