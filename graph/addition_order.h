// The order in which the partial sums of micro-batches are added while the micro-batches are computed.
//
// Problem: partial sums arrive one after the other, in ascending order of their shards. Add them so that the order of the
//   additions is fixed, and few sums are kept at a time.
// Method: a stack of sums of consecutive shards. Along a chain, the new partial sum is added to the sum of all earlier ones.
//   Along the tree of ir/core/sum_tree.h, the two uppermost sums are added when together they are a node of the tree.
// Complexity: O(n log n) time for n shards. A chain keeps at most 2 sums, and the tree at most log2(n) + 2. Failure: none.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/core/sum_tree.h"

namespace cutset {

class AdditionOrder {
 public:
  // An addition: the sum over the shards [first, middle) and the one over [middle, last) become one over [first, last).
  struct Addition {
    int64_t first = 0, middle = 0, last = 0;
    bool operator==(const Addition&) const = default;
  };

  // `range`: the shards whose partial sums are added; for the tree, a node of it. `along_tree`: true for the tree, false
  // for the chain.
  AdditionOrder(ShardRange range, bool along_tree) : range_(range), along_tree_(along_tree), next_(range.first) {}

  // Returns the additions that are due when the partial sum of the next shard exists: of the first shard of the range at
  // the first call, of the second one at the second call, and so on.
  std::vector<Addition> next();

 private:
  bool is_node(int64_t first, int64_t last) const;

  ShardRange range_;
  bool along_tree_;
  std::vector<int64_t> starts_;  // the first shard of each sum on the stack
  int64_t next_;                 // the first shard whose partial sum does not exist yet
};

}  // namespace cutset
