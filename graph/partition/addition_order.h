// SPDX-License-Identifier: Apache-2.0
// The order in which the partial sums of micro-batches are added while the micro-batches are computed.
//
// Problem: partial sums arrive one after the other, in any order of their shards. Add them so that few sums
//   are kept at a time. Along the tree, the association of the additions must not depend on the order of
//   arrival.
// Method: a set of sums of consecutive shards. Along a chain, two sums are added when their shards are
//   neighbours. Along the tree of ir/core/sum_tree.h, two sums are added when together they are a node of the
//   tree.
// Complexity: O(n log n) time for n shards. If the shards arrive in ascending order, a chain keeps at most
//   2 sums, and the tree at most log2(n) + 2. In descending order, a chain keeps 2. In other orders, both may
//   keep up to n. Failure: none.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "ir/core/sum_tree.h"

namespace cutset {

class AdditionOrder {
 public:
  // An addition: the sums over the shards [first, middle) and [middle, last) become the sum over [first,
  // last).
  struct Addition {
    int64_t first = 0, middle = 0, last = 0;
    bool operator==(const Addition&) const = default;
  };

  // `range`: the shards whose partial sums are added; for the tree, a node of it. `along_tree`: true for the
  // tree, false for the chain.
  AdditionOrder(ShardRange range, bool along_tree) : range_(range), along_tree_(along_tree) {}

  // Returns the additions that are due when the partial sum of `shard` exists. `shard` must lie in the range,
  // and no two calls may name the same shard. After one call per shard, one sum is left.
  std::vector<Addition> add(int64_t shard);

 private:
  bool is_node(int64_t first, int64_t last) const;

  ShardRange range_;
  bool along_tree_;
  std::map<int64_t, int64_t> sums_;  // first shard of each sum that is kept -> one past its last shard
};

}  // namespace cutset
