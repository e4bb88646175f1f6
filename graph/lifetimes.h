// Buffers over time, for packing: time is cut into sections at which different sets of buffers are alive.
// Only sections whose set is in no neighbour's are kept, since they bound all others. A buffer is alive in
// consecutive sections; two meet if and only if they share one.
#pragma once
#include <string>

#include "graph/packing.h"

namespace cutset {

struct Lifetimes {
  struct Item {
    int first = 0, last = 0;  // sections
    int64_t bytes = 0;        // rounded up to the alignment
    size_t buffer = 0;
  };
  std::vector<Item> items;      // buffers that have bytes
  std::vector<int64_t> total;   // bytes alive, by section
  std::vector<int64_t> length;  // of each item's life, in the buffers' own time

  Lifetimes(const std::vector<PackedBuffer>& buffers, uint64_t alignment);
  // The place of each item in an order: heaviest first by the letters of `order`, one after the other: T the
  // fullest section of an item, W its lifetime, A its area, S its size.
  std::vector<int> rank(const std::string& order) const;
};

}  // namespace cutset
