#include "graph/buffer_packing_exact.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "graph/live_ranges.h"

namespace cutset {
namespace {

using Clock = std::chrono::steady_clock;

using Item = LiveRanges::Item;

class Search {
 public:
  Search(const std::vector<Item>& items, int sections, int64_t capacity, std::vector<int> rank, uint64_t node_limit,
         Clock::time_point deadline)
      : items_(items),
        capacity_(capacity),
        rank_(std::move(rank)),
        node_limit_(node_limit),
        deadline_(deadline),
        offset(items.size(), -1),
        floor_(static_cast<size_t>(sections), 0),
        left_(static_cast<size_t>(sections), 0),
        least_(static_cast<size_t>(sections)) {
    for (const Item& i : items) add(i, 1);
  }

  bool run() {
    std::vector<int> all(items_.size());
    std::iota(all.begin(), all.end(), 0);
    return solve(all, 0, -1);
  }
  // The limit that ended the search; kNone: the search was exhaustive or found a packing.
  enum class Limit { kNone, kNodes, kTime, kMemory };
  Limit limit() const { return limit_; }
  uint64_t nodes() const { return nodes_; }

 private:
  const std::vector<Item>& items_;
  const int64_t capacity_;
  const std::vector<int> rank_;  // items of lower rank are tried first
  const uint64_t node_limit_;
  const Clock::time_point deadline_;

 public:
  std::vector<int64_t> offset;

 private:
  std::vector<int64_t> floor_;  // floor_[section]: the top of the buffers that are placed
  std::vector<int64_t> left_;   // left_[section]: bytes that are still to be placed
  std::vector<int64_t> least_;  // least_[section]: the lowest offset of an item of the group that is being solved
  uint64_t nodes_ = 0;
  Limit limit_ = Limit::kNone;
  uint64_t work_ = 0;   // items and sections that were visited since the clock was read
  uint64_t held_ = 0;   // bytes of the lists that all levels of the recursion hold
  uint64_t depth_ = 0;  // nested placements

  // Each level of the recursion holds lists of the items that are left, so both its stack and its memory grow with its
  // depth.
  static constexpr uint64_t kMostHeld = uint64_t{1} << 30, kDeepest = 2000, kWorkBetweenClocks = 100'000;
  struct Level {
    Search& search;
    uint64_t bytes;
    Level(Search& s, size_t items) : search(s), bytes(items * (sizeof(Candidate) + 2 * sizeof(int))) {
      search.held_ += bytes, ++search.depth_;
    }
    ~Level() { search.held_ -= bytes, --search.depth_; }
  };
  bool within_limits(size_t items) {
    if (++nodes_ >= node_limit_) limit_ = Limit::kNodes;
    if (held_ > kMostHeld || depth_ > kDeepest) limit_ = Limit::kMemory;
    work_ += items;
    if (work_ > kWorkBetweenClocks) {
      work_ = 0;
      if (Clock::now() > deadline_) limit_ = Limit::kTime;
    }
    return limit_ == Limit::kNone;
  }

  struct Candidate {
    int item;
    int64_t at;
  };

  void add(const Item& i, int sign) {
    for (int s = i.first; s <= i.last; ++s) left_[size_t(s)] += sign * i.bytes;
  }
  int64_t lowest_offset(const Item& i) const {  // the lowest offset at which `i` fits now
    int64_t at = 0;
    for (int s = i.first; s <= i.last; ++s) at = std::max(at, floor_[size_t(s)]);
    return at;
  }

  // Places all of `items`. Each pair (offset, rank) is above (bottom, rank_at) in lexicographic order.
  bool solve(std::vector<int>& items, int64_t bottom, int rank_at) {
    if (items.empty()) return true;
    if (!within_limits(items.size())) return false;
    const Level level(*this, items.size());
    // Groups of items that share no section are solved separately. If one has no solution, there is none for all.
    std::sort(items.begin(), items.end(),
              [&](int a, int b) { return items_[size_t(a)].first < items_[size_t(b)].first; });
    size_t begin = 0;
    int reach = items_[size_t(items[0])].last;
    bool apart = false;
    for (size_t i = 1; i <= items.size(); ++i) {
      if (i < items.size() && items_[size_t(items[i])].first <= reach) {
        reach = std::max(reach, items_[size_t(items[i])].last);
        continue;
      }
      if (i == items.size() && !apart) break;
      apart = true;
      std::vector<int> part(items.begin() + int64_t(begin), items.begin() + int64_t(i));
      if (!solve_part(part, bottom, rank_at)) {
        for (size_t k = 0; k < begin; ++k) remove(items[k]);
        return false;
      }
      begin = i;
      if (i < items.size()) reach = items_[size_t(items[i])].last;
    }
    return apart || solve_part(items, bottom, rank_at);
  }

  std::vector<std::pair<int, std::vector<std::pair<int, int64_t>>>> placed_;  // item, and the floors below it
  void place(int item, int64_t at) {
    const Item& i = items_[size_t(item)];
    auto& before = placed_.emplace_back(item, std::vector<std::pair<int, int64_t>>()).second;
    for (int s = i.first; s <= i.last; ++s) before.emplace_back(s, floor_[size_t(s)]), floor_[size_t(s)] = at + i.bytes;
    add(i, -1);
    offset[size_t(item)] = at;
  }
  void remove(int item) {
    // The floors of a group are restored in the reverse order of placement. Groups do not share sections.
    for (size_t k = placed_.size(); k-- > 0;)
      if (placed_[k].first == item) {
        for (auto [s, f] : placed_[k].second) floor_[size_t(s)] = std::min(floor_[size_t(s)], f);
        placed_.erase(placed_.begin() + int64_t(k));
        break;
      }
    add(items_[size_t(item)], 1);
    offset[size_t(item)] = -1;
  }

  bool solve_part(const std::vector<int>& items, int64_t bottom, int rank_at) {
    std::vector<Candidate> candidates;
    int first = items_[size_t(items[0])].first, last = 0;
    for (int n : items) first = std::min(first, items_[size_t(n)].first), last = std::max(last, items_[size_t(n)].last);
    for (int s = first; s <= last; ++s) least_[size_t(s)] = INT64_MAX;
    int64_t lowest_top = INT64_MAX;  // the lowest top that any item could have now
    for (int n : items) {
      const Item& i = items_[size_t(n)];
      const int64_t at = lowest_offset(i), from = std::max(at, bottom);
      work_ += static_cast<uint64_t>(i.last - i.first + 1);
      if (from + i.bytes > capacity_) return false;
      lowest_top = std::min(lowest_top, from + i.bytes);
      for (int s = i.first; s <= i.last; ++s) least_[size_t(s)] = std::min(least_[size_t(s)], from);
      if (at > bottom || (at == bottom && rank_[size_t(n)] > rank_at)) candidates.push_back({n, at});
    }
    for (int s = first; s <= last; ++s)
      if (left_[size_t(s)] > 0 && least_[size_t(s)] + left_[size_t(s)] > capacity_) return false;
    std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
      return a.at != b.at ? a.at < b.at : rank_[size_t(a.item)] < rank_[size_t(b.item)];
    });
    for (const Candidate& c : candidates) {
      if (c.at >= lowest_top) break;  // another item fits completely below it, so that item is placed first
      std::vector<int> others;
      bool covered = false;
      for (int n : items) {
        if (n == c.item) continue;
        others.push_back(n);
        covered |= items_[size_t(n)].first <= items_[size_t(c.item)].last &&
                   items_[size_t(c.item)].first <= items_[size_t(n)].last;
      }
      place(c.item, c.at);
      if (solve(others, c.at, rank_[size_t(c.item)])) return true;
      remove(c.item);
      if (limit_ != Limit::kNone || !covered)
        return false;  // it shares no section with another item, so its offset does not matter
    }
    return false;
  }
};

}  // namespace

ExactResult pack_exactly(std::vector<PackedBuffer>& buffers, uint64_t alignment, uint64_t capacity, double seconds) {
  ExactResult result;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::vector<PackedBuffer> greedy = buffers;
  Packing packing = pack_buffers(greedy, alignment);
  if (packing.bytes <= capacity) {
    buffers = greedy, result.packing = packing;
    return result;
  }
  if (packing.lower_bound > capacity) return result;

  const LiveRanges ranges(buffers, alignment);
  constexpr const char* kOrders[] = {"WAT", "TAW", "TWA", "AST", "STW", "WST"};
  for (uint64_t limit = 20'000; Clock::now() < deadline; limit *= 4)
    for (const char* order : kOrders) {
      Search search(ranges.items, static_cast<int>(ranges.total.size()), static_cast<int64_t>(capacity),
                    ranges.rank(order), limit, deadline);
      const bool found = search.run();
      result.nodes += search.nodes();
      if (found) {
        packing.bytes = 0;
        for (PackedBuffer& b : buffers) b.offset = 0;
        for (size_t n = 0; n < ranges.items.size(); ++n) {
          PackedBuffer& b = buffers[ranges.items[n].buffer];
          b.offset = static_cast<uint64_t>(search.offset[n]);
          packing.bytes = std::max(packing.bytes, b.offset + b.bytes);
        }
        result.packing = packing;
        return result;
      }
      if (search.limit() == Search::Limit::kNone) return result;  // the search was exhaustive: no packing exists
      if (search.limit() == Search::Limit::kTime) break;
      if (search.limit() == Search::Limit::kMemory) {
        result.out_of_memory = true;
        return result;
      }
    }
  result.timed_out = true;
  return result;
}

}  // namespace cutset
