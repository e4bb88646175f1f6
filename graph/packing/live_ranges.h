// SPDX-License-Identifier: Apache-2.0
// Divides time into sections in which different sets of buffers are alive. The packing algorithms of graph/
// work on these sections.
//
// A section is dropped if a neighbouring section has all its live buffers, because the neighbour needs at
// least as many bytes. Each buffer is alive in consecutive sections. Two buffers are alive together if and
// only if they share a section. Complexity: O(n log n) for n buffers. Failure: none.
#pragma once
#include <string>

#include "graph/packing/buffer_packing.h"

namespace cutset {

struct LiveRanges {
  struct Item {
    int first = 0, last = 0;  // the sections in which it is alive, both included
    int64_t bytes = 0;        // the size of the buffer, rounded up to the alignment
    size_t buffer = 0;        // index of the buffer that the item stands for
  };
  std::vector<Item> items;     // one per buffer of more than 0 bytes
  std::vector<int64_t> total;  // total[section]: bytes that are alive in it
  std::vector<int64_t>
      length;  // length[item]: the lifetime of its buffer, in the unit of PackedBuffer::first

  LiveRanges(const std::vector<PackedBuffer>& buffers, uint64_t alignment);
  // Sorts the items by the keys that the letters of `order` name, largest first, and returns the position of
  // each item. A later letter breaks the ties of the letters before it. T: the largest `total` among the
  // sections of the item; W: its lifetime; A: its area, which is lifetime times size; S: its size.
  std::vector<int> rank(const std::string& order) const;
};

}  // namespace cutset
