// SPDX-License-Identifier: Apache-2.0
#include "ir/core/sum_tree.h"

#include <string>

namespace cutset {
namespace {

struct Tree {
  const std::vector<ShardRange>& partials;
  std::vector<std::pair<size_t, size_t>> additions;
  size_t next = 0;

  // Returns the partial that holds the sum of [first, last) in the end. Partials are consumed in order. Every
  // partial covers at least one shard, so a range that is not one partial has at least two shards. So both
  // halves are smaller, and the depth is at most the logarithm of the number of shards.
  Result<size_t> node(int64_t first, int64_t last) {
    if (next >= partials.size() || partials[next].first != first || partials[next].last > last)
      return invalid_data("the partial sums do not follow the binary tree over their shards");
    if (partials[next].last == last) return next++;
    const int64_t middle = middle_of(first, last);
    CUTSET_ASSIGN(const size_t left, node(first, middle));
    CUTSET_ASSIGN(const size_t right, node(middle, last));
    additions.emplace_back(left, right);
    return left;
  }
};

}  // namespace

Result<std::vector<std::pair<size_t, size_t>>> additions_of(const std::vector<ShardRange>& partials) {
  if (partials.empty()) return invalid_data("a sum has no partial sums");
  for (size_t i = 0; i < partials.size(); ++i)
    if (partials[i].first < 0 || partials[i].first >= partials[i].last)
      return invalid_data("partial sum " + std::to_string(i) + " covers the shards from " +
                          std::to_string(partials[i].first) + " up to " + std::to_string(partials[i].last) +
                          ", which is not a range");
  Tree tree{partials, {}};
  CUTSET_TRY(tree.node(partials.front().first, partials.back().last));
  if (tree.next != partials.size())
    return invalid_data("the partial sums do not follow the binary tree over their shards");
  return std::move(tree.additions);
}

}  // namespace cutset
