// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/free_gaps.h"

#include <algorithm>
#include <bit>

namespace cutset {

FreeGaps::FreeGaps(std::vector<uint64_t> ends) : ends_(std::move(ends)) {
  ends_.push_back(0);
  std::ranges::sort(ends_);
  ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  leaves_ = std::bit_ceil(std::max<size_t>(1, ends_.size() - 1));
  nodes_.resize(2 * leaves_);
  for (size_t leaf = 0; leaf + 1 < ends_.size(); ++leaf)
    nodes_[leaves_ + leaf].bytes = ends_[leaf + 1] - ends_[leaf];
  for (size_t node = leaves_ - 1; node > 0; --node)
    nodes_[node].bytes = nodes_[2 * node].bytes + nodes_[2 * node + 1].bytes;
  for (size_t node = 2 * leaves_ - 1; node > 0; --node) update(node, node >= leaves_);
}

void FreeGaps::update(size_t node, bool is_leaf) {
  Node& n = nodes_[node];
  if (n.covered > 0) {
    n.first = n.last = n.longest = 0;
  } else if (is_leaf) {
    n.first = n.last = n.longest = n.bytes;
  } else {
    const Node &left = nodes_[2 * node], &right = nodes_[2 * node + 1];
    n.first = left.first == left.bytes ? left.bytes + right.first : left.first;
    n.last = right.last == right.bytes ? right.bytes + left.last : right.last;
    n.longest = std::max({left.longest, right.longest, left.last + right.first});
  }
}

void FreeGaps::change(uint64_t begin, uint64_t end, int64_t by) {
  if (begin >= end) return;
  const auto index = [&](uint64_t at) {
    return static_cast<size_t>(std::ranges::lower_bound(ends_, at) - ends_.begin());
  };
  change(1, 0, leaves_, index(begin), index(end), by);
}

// Changes the leaves from `begin` on, before `end`. The node has the leaves from `low` on, before `high`.
void FreeGaps::change(size_t node, size_t low, size_t high, size_t begin, size_t end, int64_t by) {
  if (end <= low || high <= begin) return;
  if (begin <= low && high <= end) {
    nodes_[node].covered += by;
  } else {
    const size_t middle = (low + high) / 2;
    change(2 * node, low, middle, begin, end, by);
    change(2 * node + 1, middle, high, begin, end, by);
  }
  update(node, high - low == 1);
}

uint64_t FreeGaps::find(uint64_t bytes) const {
  const Node& root = nodes_[1];
  if (root.longest < bytes) return root.bytes - root.last;  // the run that has no end
  size_t node = 1;
  uint64_t start = 0;  // of the node
  while (node < leaves_) {
    const Node &left = nodes_[2 * node], &right = nodes_[2 * node + 1];
    if (left.longest >= bytes) {
      node = 2 * node;
    } else if (left.last + right.first >= bytes) {
      return start + left.bytes - left.last;
    } else {
      start += left.bytes;
      node = 2 * node + 1;
    }
  }
  return start;
}

}  // namespace cutset
