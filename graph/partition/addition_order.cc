// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/addition_order.h"

#include <iterator>

namespace cutset {

std::vector<AdditionOrder::Addition> AdditionOrder::add(int64_t shard) {
  std::vector<Addition> additions;
  auto sum = sums_.emplace(shard, shard + 1).first;
  // Adds the sum `right` to the sum `left` before it, if this addition is due. Returns whether it is due.
  const auto added = [&](auto left, auto right) {
    if (left->second != right->first || (along_tree_ && !is_node(left->first, right->second))) return false;
    additions.push_back({left->first, right->first, right->second});
    left->second = right->second;
    sums_.erase(right);
    sum = left;
    return true;
  };
  while ((sum != sums_.begin() && added(std::prev(sum), sum)) ||
         (std::next(sum) != sums_.end() && added(sum, std::next(sum)))) {
  }
  return additions;
}

// Whether the sum over the shards [first, last) is a node of the tree over the range.
bool AdditionOrder::is_node(int64_t first, int64_t last) const {
  int64_t from = range_.first, to = range_.last;
  while (from != first || to != last) {
    if (to - from < 2) return false;
    const int64_t middle = middle_of(from, to);
    if (last <= middle)
      to = middle;
    else if (first >= middle)
      from = middle;
    else
      return false;
  }
  return true;
}

}  // namespace cutset
