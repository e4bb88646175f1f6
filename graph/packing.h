// Puts buffers with known lifetimes into one arena: two may share addresses only if they are never alive
// at once. Greedy by size, each at the lowest offset that is free over its lifetime (Pisarchyk and Lee,
// "Efficient memory management for deep neural net inference", 2020, algorithm 3).
#pragma once
#include <cstdint>
#include <vector>

namespace cutset {

struct PackedBuffer {
  int64_t first = 0, last = 0;  // alive from `first` to `last`, both included
  uint64_t bytes = 0;
  uint64_t offset = 0;  // the result
};

struct Packing {
  uint64_t bytes = 0;        // of the arena
  uint64_t lower_bound = 0;  // the most bytes alive at once
};

// `alignment` is a power of two. O(n^2).
Packing pack_buffers(std::vector<PackedBuffer>& buffers, uint64_t alignment);

}  // namespace cutset
