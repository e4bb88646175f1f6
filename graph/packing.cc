#include "graph/packing.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

#include "graph/lifetimes.h"
#include "graph/time_packing.h"

namespace cutset {
namespace {

// The tops of what is placed, by section: largest over a range, and set over a range, in O(log n).
class Skyline {
 public:
  explicit Skyline(size_t sections) {
    while (size_ < sections) size_ *= 2;
    top_.assign(2 * size_, 0), all_.assign(2 * size_, -1);
  }
  int64_t highest(int first, int last) { return highest(size_t(first), size_t(last), 1, 0, size_ - 1); }
  void set(int first, int last, int64_t top) { set(size_t(first), size_t(last), top, 1, 0, size_ - 1); }

 private:
  size_t size_ = 1;
  std::vector<int64_t> top_, all_;  // all_: what all below this node was set to and has not been told

  void tell(size_t node) {
    if (all_[node] < 0) return;
    for (size_t child : {2 * node, 2 * node + 1}) top_[child] = all_[child] = all_[node];
    all_[node] = -1;
  }
  int64_t highest(size_t first, size_t last, size_t node, size_t from, size_t to) {
    if (first <= from && to <= last) return top_[node];
    tell(node);
    const size_t middle = (from + to) / 2;
    int64_t top = 0;
    if (first <= middle) top = highest(first, last, 2 * node, from, middle);
    if (last > middle) top = std::max(top, highest(first, last, 2 * node + 1, middle + 1, to));
    return top;
  }
  void set(size_t first, size_t last, int64_t top, size_t node, size_t from, size_t to) {
    if (first <= from && to <= last) {
      top_[node] = all_[node] = top;
      return;
    }
    tell(node);
    const size_t middle = (from + to) / 2;
    if (first <= middle) set(first, last, top, 2 * node, from, middle);
    if (last > middle) set(first, last, top, 2 * node + 1, middle + 1, to);
    top_[node] = std::max(top_[2 * node], top_[2 * node + 1]);
  }
};

// Fills from the bottom: next is always the item that comes to rest lowest, the first by rank among those. Where
// lives nest deeply, nearly every item is lifted over nearly every other, which is quadratic; so `visits` bounds
// the work over all orders, and an empty result means that it ran out.
std::vector<int64_t> fill(const Lifetimes& lives, const std::vector<int>& rank, int64_t& visits) {
  using Entry = std::pair<int64_t, int>;  // where it would rest, at least; rank
  std::vector<size_t> at_rank(rank.size());
  for (size_t n = 0; n < rank.size(); ++n) at_rank[static_cast<size_t>(rank[n])] = n;
  std::vector<Entry> entries;
  for (size_t r = 0; r < rank.size(); ++r) entries.emplace_back(0, static_cast<int>(r));
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next(std::greater<>(), std::move(entries));
  Skyline skyline(lives.total.size());
  std::vector<int64_t> offset(rank.size(), 0);
  while (!next.empty()) {
    if (--visits < 0) return {};
    const auto [least, r] = next.top();
    next.pop();
    const size_t n = at_rank[static_cast<size_t>(r)];
    const Lifetimes::Item& item = lives.items[n];
    const int64_t at = skyline.highest(item.first, item.last);
    if (at > least) {  // something was put beneath it since
      next.emplace(at, r);
      continue;
    }
    skyline.set(item.first, item.last, at + item.bytes);
    offset[n] = at;
  }
  return offset;
}

uint64_t lower_bound(const std::vector<PackedBuffer>& buffers) {
  std::map<int64_t, int64_t> change;  // bytes that come and go, by time
  for (const PackedBuffer& b : buffers)
    change[b.first] += static_cast<int64_t>(b.bytes), change[b.last + 1] -= static_cast<int64_t>(b.bytes);
  int64_t alive = 0, most = 0;
  for (auto [time, bytes] : change) most = std::max(most, alive += bytes);
  return static_cast<uint64_t>(most);
}

}  // namespace

Packing pack_buffers(std::vector<PackedBuffer>& buffers, uint64_t alignment) {
  Packing result{UINT64_MAX, lower_bound(buffers)};
  const Lifetimes lives(buffers, alignment);
  auto take_if_better = [&](const std::vector<int64_t>& offset) {
    uint64_t height = 0;
    for (size_t n = 0; n < offset.size(); ++n)
      height = std::max(height, static_cast<uint64_t>(offset[n]) + buffers[lives.items[n].buffer].bytes);
    if (height >= result.bytes) return;
    result.bytes = height;
    for (PackedBuffer& b : buffers) b.offset = 0;
    for (size_t n = 0; n < offset.size(); ++n) buffers[lives.items[n].buffer].offset = static_cast<uint64_t>(offset[n]);
  };
  constexpr double kGoodEnough = 1.002;
  auto good_enough = [&] {
    return static_cast<double>(result.bytes) <= kGoodEnough * static_cast<double>(result.lower_bound);
  };
  take_if_better(place_in_order_of_time(lives));
  int64_t visits = 8'000'000 + 40 * static_cast<int64_t>(lives.items.size());
  for (const char* order : {"A", "TA", "TW", "T", "S", "W"}) {
    if (good_enough()) break;
    const std::vector<int64_t> offset = fill(lives, lives.rank(order), visits);
    if (offset.empty()) break;
    take_if_better(offset);
  }
  return result;
}

}  // namespace cutset
