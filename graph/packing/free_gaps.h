// SPDX-License-Identifier: Apache-2.0
// Finds free memory between intervals that come and go.
//
// Problem: the lowest place for a block of a given size that overlaps none of the current intervals.
// Method: a segment tree over the ends of all intervals. A node knows how many intervals cover it whole, and
//   the longest free run of bytes at its beginning, at its end and anywhere in it.
// Source: Bentley, "Solutions to Klee's rectangle problems", Carnegie-Mellon University, 1977, for the
// counts. Complexity: O(log n) per call for n different ends. Failure: none.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cutset {

class FreeGaps {
 public:
  // `ends` has the first byte, and the first byte after the end, of every interval that will be added.
  explicit FreeGaps(std::vector<uint64_t> ends);

  // Add and remove an interval, which must have been added. An interval without bytes has no effect.
  void add(uint64_t begin, uint64_t end) { change(begin, end, 1); }
  void remove(uint64_t begin, uint64_t end) { change(begin, end, -1); }

  // Returns the start of the lowest free run of at least `bytes` bytes. All bytes after the last end are
  // free.
  uint64_t find(uint64_t bytes) const;

 private:
  struct Node {
    int64_t covered = 0;                        // the number of intervals that cover the node whole
    uint64_t bytes = 0;                         // the size of the node
    uint64_t first = 0, last = 0, longest = 0;  // free runs: at the beginning, at the end, anywhere
  };
  void change(uint64_t begin, uint64_t end, int64_t by);
  void change(size_t node, size_t low, size_t high, size_t begin, size_t end, int64_t by);
  void update(size_t node, bool is_leaf);

  std::vector<uint64_t> ends_;  // in ascending order; leaf i holds the bytes from ends_[i] to ends_[i + 1]
  size_t leaves_ = 0;
  std::vector<Node> nodes_;  // the children of node n are 2 n and 2 n + 1; the root is node 1
};

}  // namespace cutset
