// SPDX-License-Identifier: Apache-2.0
// The items of an exact packing problem that are still to be placed (graph/packing/buffer_packing_exact.cc).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "graph/packing/live_ranges.h"

namespace cutset {

// An item that is still to be placed.
struct Waiting {
  int64_t at;  // the lowest offset that is left for it: the top of the items below it
  int item;
  size_t since;  // number of placements before the placement that raised it to `at`
};

// Waiting items that are connected by shared sections. Items of different groups share no section.
struct ItemGroup {
  std::vector<Waiting> waiting;     // in the order in which they are tried
  int first = 0, last = 0;          // the sections of the group
  const ItemGroup* next = nullptr;  // the group that is solved after this one
};

// Knows how many bytes of each section are still to be placed.
class RemainingItems {
 public:
  // `order`: as in LiveRanges::rank.
  RemainingItems(const LiveRanges& ranges, std::string order);

  size_t size() const { return ranges_.items.size(); }
  const LiveRanges::Item& item(int number) const { return ranges_.items[static_cast<size_t>(number)]; }
  int sections() const { return static_cast<int>(ranges_.total.size()); }
  int64_t bytes_left(int section) const { return ranges_.total[static_cast<size_t>(section)]; }
  void place(int item) { add(item, -1); }
  void take_back(int item) { add(item, 1); }

  // Whether the item is alive in one of the sections.
  bool alive_in(int item, int first, int last) const;
  bool overlap(int a, int b) const;
  // Returns all items, at offset 0, in the order in which they are tried.
  std::vector<Waiting> all() const;
  // Divides waiting items of the sections from `first` to `last` into groups. `next`: the group that is
  // solved after them. If there are several groups, the items are ranked again, because ranks depend on the
  // bytes that are left.
  std::vector<ItemGroup> divide(std::vector<Waiting> waiting, int first, int last,
                                const ItemGroup* next) const;

 private:
  void add(int item, int sign);

  LiveRanges ranges_;  // `total` counts the items that are not placed
  const std::string order_;
};

}  // namespace cutset
