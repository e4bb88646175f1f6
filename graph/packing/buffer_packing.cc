// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/buffer_packing.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

#include "graph/packing/live_ranges.h"
#include "graph/packing/time_packing.h"

namespace cutset {
namespace {

// The top of the placed buffers in each section of time. Reading the maximum of a range and setting a range
// take O(log n): it is a segment tree with lazy propagation.
class Skyline {
 public:
  explicit Skyline(size_t sections) {
    while (size_ < sections) size_ *= 2;
    top_.assign(2 * size_, 0);
    pending_.assign(2 * size_, -1);
  }
  int64_t highest(int first, int last) { return highest(size_t(first), size_t(last), 1, 0, size_ - 1); }
  void set(int first, int last, int64_t top) { set(size_t(first), size_t(last), top, 1, 0, size_ - 1); }

 private:
  size_t size_ = 1;
  std::vector<int64_t> top_,
      pending_;  // pending_[node]: the value that its children are still to be set to; -1: none

  void push_down(size_t node) {
    if (pending_[node] < 0) return;
    for (size_t child : {2 * node, 2 * node + 1}) top_[child] = pending_[child] = pending_[node];
    pending_[node] = -1;
  }
  int64_t highest(size_t first, size_t last, size_t node, size_t from, size_t to) {
    if (first <= from && to <= last) return top_[node];
    push_down(node);
    const size_t middle = (from + to) / 2;
    int64_t top = 0;
    if (first <= middle) top = highest(first, last, 2 * node, from, middle);
    if (last > middle) top = std::max(top, highest(first, last, 2 * node + 1, middle + 1, to));
    return top;
  }
  void set(size_t first, size_t last, int64_t top, size_t node, size_t from, size_t to) {
    if (first <= from && to <= last) {
      top_[node] = pending_[node] = top;
      return;
    }
    push_down(node);
    const size_t middle = (from + to) / 2;
    if (first <= middle) set(first, last, top, 2 * node, from, middle);
    if (last > middle) set(first, last, top, 2 * node + 1, middle + 1, to);
    top_[node] = std::max(top_[2 * node], top_[2 * node + 1]);
  }
};

// Places the items from the bottom up and returns their offsets. The next item is the item that can be placed
// lowest; ties go to the lowest rank. If lifetimes nest deeply, nearly every item is moved above nearly every
// other item, which takes quadratic time. Each visit of an item therefore decrements `visits`, which all
// orders share. The result is empty if `visits` becomes negative.
std::vector<int64_t> place_lowest_first(const LiveRanges& ranges, const std::vector<int>& rank,
                                        int64_t& visits) {
  using Entry = std::pair<int64_t, int>;  // a lower bound of the offset, and the rank
  std::vector<size_t> at_rank(rank.size());
  for (size_t n = 0; n < rank.size(); ++n) at_rank[static_cast<size_t>(rank[n])] = n;
  std::vector<Entry> entries;
  for (size_t r = 0; r < rank.size(); ++r) entries.emplace_back(0, static_cast<int>(r));
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next(std::greater<>(), std::move(entries));
  Skyline skyline(ranges.total.size());
  std::vector<int64_t> offset(rank.size(), 0);
  while (!next.empty()) {
    if (--visits < 0) return {};
    const auto [least, r] = next.top();
    next.pop();
    const size_t n = at_rank[static_cast<size_t>(r)];
    const LiveRanges::Item& item = ranges.items[n];
    const int64_t at = skyline.highest(item.first, item.last);
    if (at > least) {  // another item was placed below it since the bound was computed
      next.emplace(at, r);
      continue;
    }
    skyline.set(item.first, item.last, at + item.bytes);
    offset[n] = at;
  }
  return offset;
}

uint64_t lower_bound(const std::vector<PackedBuffer>& buffers) {
  std::map<int64_t, int64_t> change;  // change[time]: bytes that are allocated minus bytes that are freed
  for (const PackedBuffer& b : buffers) {
    change[b.first] += static_cast<int64_t>(b.bytes);
    change[b.last + 1] -= static_cast<int64_t>(b.bytes);
  }
  int64_t alive = 0, most = 0;
  for (auto [time, bytes] : change) most = std::max(most, alive += bytes);
  return static_cast<uint64_t>(most);
}

}  // namespace

Packing pack_buffers(std::vector<PackedBuffer>& buffers, uint64_t alignment) {
  Packing result{UINT64_MAX, lower_bound(buffers)};
  const LiveRanges ranges(buffers, alignment);
  auto take_if_better = [&](const std::vector<int64_t>& offset) {
    uint64_t height = 0;
    for (size_t n = 0; n < offset.size(); ++n)
      height = std::max(height, static_cast<uint64_t>(offset[n]) + buffers[ranges.items[n].buffer].bytes);
    if (height >= result.bytes) return;
    result.bytes = height;
    for (PackedBuffer& b : buffers) b.offset = 0;
    for (size_t n = 0; n < offset.size(); ++n)
      buffers[ranges.items[n].buffer].offset = static_cast<uint64_t>(offset[n]);
  };
  constexpr double kGoodEnough = 1.002;
  auto good_enough = [&] {
    return static_cast<double>(result.bytes) <= kGoodEnough * static_cast<double>(result.lower_bound);
  };
  for (const Direction direction : {Direction::kForward, Direction::kReverse}) {
    if (good_enough()) break;
    take_if_better(place_in_order_of_time(ranges, direction));
  }
  // A visit takes about 0.2 us. The search may make one visit per byte that a better packing can save.
  const uint64_t excess = result.bytes - result.lower_bound;
  int64_t visits = 50'000 + 40 * static_cast<int64_t>(ranges.items.size()) +
                   static_cast<int64_t>(std::min<uint64_t>(excess, 8'000'000));
  for (const char* order : {"A", "TA", "TW", "T", "S", "W"}) {
    if (good_enough()) break;
    const std::vector<int64_t> offset = place_lowest_first(ranges, ranges.rank(order), visits);
    if (offset.empty()) break;
    take_if_better(offset);
  }
  return result;
}

}  // namespace cutset
