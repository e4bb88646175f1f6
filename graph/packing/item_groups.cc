// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/item_groups.h"

#include <algorithm>
#include <utility>

namespace cutset {

RemainingItems::RemainingItems(const LiveRanges& ranges, std::string order)
    : ranges_(ranges), order_(std::move(order)) {}

void RemainingItems::add(int number, int sign) {
  const LiveRanges::Item& i = item(number);
  for (int s = i.first; s <= i.last; ++s) ranges_.total[static_cast<size_t>(s)] += sign * i.bytes;
}

bool RemainingItems::alive_in(int number, int first, int last) const {
  return item(number).first <= last && first <= item(number).last;
}

bool RemainingItems::overlap(int a, int b) const { return alive_in(a, item(b).first, item(b).last); }

std::vector<Waiting> RemainingItems::all() const {
  std::vector<Waiting> all(size());
  const std::vector<int> rank = ranges_.rank(order_);
  for (size_t n = 0; n < all.size(); ++n) all[static_cast<size_t>(rank[n])] = {0, static_cast<int>(n), 0};
  return all;
}

std::vector<ItemGroup> RemainingItems::divide(std::vector<Waiting> waiting, int first, int last,
                                              const ItemGroup* next) const {
  std::vector<ItemGroup> groups;
  if (waiting.empty()) return groups;
  // The prefix sum at k counts the items in both first + k and its successor.
  std::vector<int> across(static_cast<size_t>(last - first) + 1, 0);
  for (const Waiting& w : waiting) {
    ++across[static_cast<size_t>(item(w.item).first - first)];
    --across[static_cast<size_t>(item(w.item).last - first)];
  }
  int crossing = 0, begin = -1;
  for (int s = first; s <= last; ++s) {
    if (begin < 0 && bytes_left(s) > 0) begin = s;
    crossing += across[static_cast<size_t>(s - first)];
    if (begin >= 0 && crossing == 0) groups.push_back({{}, std::exchange(begin, -1), s, next});
  }
  if (groups.size() == 1) {
    groups[0].waiting = std::move(waiting);
    return groups;
  }
  const std::vector<int> rank = ranges_.rank(order_);
  std::sort(waiting.begin(), waiting.end(), [&](const Waiting& a, const Waiting& b) {
    return rank[static_cast<size_t>(a.item)] < rank[static_cast<size_t>(b.item)];
  });
  for (size_t g = 0; g < groups.size(); ++g) {
    if (g + 1 < groups.size()) groups[g].next = &groups[g + 1];
    for (const Waiting& w : waiting)
      if (alive_in(w.item, groups[g].first, groups[g].last)) groups[g].waiting.push_back(w);
  }
  return groups;
}

}  // namespace cutset
