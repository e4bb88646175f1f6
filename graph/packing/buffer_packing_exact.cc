// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/buffer_packing_exact.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <tuple>

#include "graph/packing/live_ranges.h"

namespace cutset {
namespace {

using Clock = std::chrono::steady_clock;
using Item = LiveRanges::Item;

class ItemSet {
 public:
  explicit ItemSet(size_t items) : words_((items + 63) / 64, 0) {}
  bool has(int item) const { return words_[size_t(item) / 64] >> (size_t(item) % 64) & 1; }
  void add(int item) { words_[size_t(item) / 64] |= uint64_t{1} << (size_t(item) % 64); }
  void add(const ItemSet& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }

 private:
  std::vector<uint64_t> words_;
};

// An item that is still to be placed.
struct Waiting {
  int64_t at;  // the lowest offset that is left for it: the top of the items below it
  int item;
  size_t since;  // number of placements before the one that raised it to `at`
};

// Waiting items that are connected by shared sections. Items of different groups share no section.
struct ItemGroup {
  std::vector<Waiting> waiting;     // in the order in which they are tried
  int first = 0, last = 0;          // the sections of the group
  const ItemGroup* next = nullptr;  // the group that is solved after this one
};

// The groups of items for which no packing exists, each with the items that the failure depends on. A later
// group replaces the earlier group in the slot that its hash selects, so the memory is bounded. Two different
// groups have the same 64-bit hash with a probability of 2^-64 per look-up.
class Failures {
 public:
  // The table has fewer slots for more items, so that all conflicts together take at most kMostBytes.
  explicit Failures(size_t items)
      : slots_(std::clamp<size_t>(kMostBytes / (items / 8 + 64), 1, kSlots), 0),
        conflicts_(slots_.size(), ItemSet(0)) {}
  static uint64_t hash(const ItemGroup& group) {
    uint64_t sum = 1;
    for (const Waiting& w : group.waiting)
      sum += mixed(mixed(static_cast<uint64_t>(w.at)) + uint64_t(w.item) + 1);
    return sum;
  }
  const ItemSet* find(uint64_t hash) const {
    const size_t slot = hash % slots_.size();
    return slots_[slot] == hash ? &conflicts_[slot] : nullptr;
  }
  void add(uint64_t hash, const ItemSet& conflict) {
    const size_t slot = hash % slots_.size();
    slots_[slot] = hash, conflicts_[slot] = conflict;
  }

 private:
  static constexpr size_t kSlots = size_t{1} << 14, kMostBytes = size_t{1} << 28;
  // The finalizer of MurmurHash3 by Austin Appleby.
  static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
  }
  std::vector<uint64_t> slots_;
  std::vector<ItemSet> conflicts_;
};

class Search {
 public:
  // The limit that ended the search; kNone: the search was exhaustive or found a packing.
  enum class Limit { kNone, kNodes, kTime, kMemory };

  Search(const LiveRanges& ranges, int64_t capacity, std::string order, uint64_t node_limit,
         Clock::time_point deadline, Failures& failures)
      : offset(ranges.items.size(), -1),
        ranges_(ranges),
        items_(ranges_.items),
        left_(ranges_.total),
        capacity_(capacity),
        order_(std::move(order)),
        node_limit_(node_limit),
        deadline_(deadline),
        failures_(failures),
        least_(left_.size()),
        choices_(left_.size()),
        conflict_(items_.size()) {}

  // Returns whether it found a packing. The offsets are then in `offset`.
  bool run() {
    std::vector<Waiting> all(items_.size());
    const std::vector<int> rank = ranges_.rank(order_);
    for (size_t n = 0; n < all.size(); ++n) all[size_t(rank[n])] = {0, static_cast<int>(n), 0};
    std::vector<ItemGroup> groups;
    divide(std::move(all), 0, static_cast<int>(left_.size()) - 1, nullptr, groups);
    const ItemGroup* next = groups.data();
    while (next) {
      const bool alive = open(*next);
      if (limit_ != Limit::kNone) return false;
      if (!alive && !go_back()) return false;
      next = place();
    }
    return true;
  }
  Limit limit() const { return limit_; }
  uint64_t nodes() const { return nodes_; }

  std::vector<int64_t> offset;

 private:
  // A group of which one item is placed. All candidates are tried, one after the other.
  struct Level {
    const ItemGroup* group;
    uint64_t hash;
    std::vector<size_t> candidates;  // indices into group->waiting
    size_t tried;                    // the candidate that is placed
    ItemSet conflict;                // items that the failure of the candidates before `tried` depends on
    std::vector<ItemGroup> parts;    // what is left of the group
    size_t bytes;                    // memory that the level holds
  };
  static constexpr uint64_t kMostHeld = (uint64_t{1} << 30) - (uint64_t{1} << 28),
                            kWorkBetweenClocks = 400'000;
  static constexpr size_t kSectionsTried = 5;

  LiveRanges ranges_;  // `total` counts the items that are not placed
  const std::vector<Item>& items_;
  std::vector<int64_t>& left_;  // left_[section]: bytes that are still to be placed
  const int64_t capacity_;
  const std::string order_;
  const uint64_t node_limit_;
  const Clock::time_point deadline_;
  Failures& failures_;
  std::vector<int64_t> least_;  // least_[section]: the lowest offset of a waiting item
  std::vector<size_t>
      choices_;               // choices_[section]: waiting items that could be the lowest one of the section
  std::deque<Level> levels_;  // a deque, because levels and groups point to groups in earlier levels
  ItemSet conflict_;          // waiting items that cannot all be packed; set where a group has no packing
  uint64_t nodes_ = 0;
  Limit limit_ = Limit::kNone;
  uint64_t work_ = 0;  // items and sections that were visited since the clock was read
  uint64_t held_ = 0;  // bytes that all levels hold

  bool alive_in(const Waiting& w, int first, int last) const {
    return items_[size_t(w.item)].first <= last && first <= items_[size_t(w.item)].last;
  }
  bool overlap(int a, int b) const {
    return items_[size_t(a)].first <= items_[size_t(b)].last &&
           items_[size_t(b)].first <= items_[size_t(a)].last;
  }
  void add_left(const Item& i, int sign) {
    for (int s = i.first; s <= i.last; ++s) left_[size_t(s)] += sign * i.bytes;
  }
  bool within_limits(size_t items) {
    if (++nodes_ >= node_limit_) limit_ = Limit::kNodes;
    if (held_ > kMostHeld) limit_ = Limit::kMemory;
    work_ += items;
    if (work_ > kWorkBetweenClocks) {
      work_ = 0;
      if (Clock::now() > deadline_) limit_ = Limit::kTime;
    }
    return limit_ == Limit::kNone;
  }

  // Divides items into groups. If there are several groups, the items are ranked again, because ranks depend
  // on left_.
  void divide(std::vector<Waiting> waiting, int first, int last, const ItemGroup* next,
              std::vector<ItemGroup>& groups) {
    groups.clear();
    if (waiting.empty()) return;
    std::vector<int> across(size_t(last - first) + 1,
                            0);  // prefix sum at k: items in both first + k and its successor
    for (const Waiting& w : waiting)
      ++across[size_t(items_[size_t(w.item)].first - first)],
          --across[size_t(items_[size_t(w.item)].last - first)];
    int crossing = 0, begin = -1;
    for (int s = first; s <= last; ++s) {
      if (begin < 0 && left_[size_t(s)] > 0) begin = s;
      crossing += across[size_t(s - first)];
      if (begin >= 0 && crossing == 0) groups.push_back({{}, begin, s, next}), begin = -1;
    }
    work_ += waiting.size() * groups.size();
    if (groups.size() == 1) {
      groups[0].waiting = std::move(waiting);
      return;
    }
    const std::vector<int> rank = ranges_.rank(order_);
    std::sort(waiting.begin(), waiting.end(), [&](const Waiting& a, const Waiting& b) {
      return rank[size_t(a.item)] < rank[size_t(b.item)];
    });
    for (size_t g = 0; g < groups.size(); ++g) {
      if (g + 1 < groups.size()) groups[g].next = &groups[g + 1];
      for (const Waiting& w : waiting)
        if (alive_in(w, groups[g].first, groups[g].last)) groups[g].waiting.push_back(w);
    }
  }

  // Adds a level for `group`. If the group has no packing, it adds none, sets conflict_ and returns false.
  bool open(const ItemGroup& group) {
    size_t lengths = 0;
    int64_t lowest_top = INT64_MAX;  // the lowest top that an item could have now
    int lowest = -1;
    for (int s = group.first; s <= group.last; ++s) least_[size_t(s)] = INT64_MAX, choices_[size_t(s)] = 0;
    for (const Waiting& w : group.waiting) {
      const Item& i = items_[size_t(w.item)];
      if (w.at + i.bytes < lowest_top) lowest_top = w.at + i.bytes, lowest = w.item;
      for (int s = i.first; s <= i.last; ++s) {
        least_[size_t(s)] = std::min(least_[size_t(s)], w.at);
        choices_[size_t(s)] += w.at + left_[size_t(s)] <= capacity_;
      }
      lengths += size_t(i.last - i.first + 1);
    }
    if (!within_limits(group.waiting.size() + lengths)) return false;
    for (int s = group.first; s <= group.last; ++s)
      if (left_[size_t(s)] > 0 && least_[size_t(s)] + left_[size_t(s)] > capacity_) {
        explain(group, s);
        return false;
      }
    const uint64_t hash = Failures::hash(group);
    if (const ItemSet* known = failures_.find(hash)) {
      conflict_ = *known;
      return false;
    }
    Level level{&group, hash, {}, 0, ItemSet(items_.size()), {}, 0};
    for (size_t k = 0; k < group.waiting.size(); ++k)
      if (group.waiting[k].at < lowest_top) level.candidates.push_back(k);
    level.conflict.add(lowest);
    choose_section(group, level);
    std::sort(level.candidates.begin(), level.candidates.end(), [&](size_t a, size_t b) {
      return group.waiting[a].at != group.waiting[b].at ? group.waiting[a].at < group.waiting[b].at : a < b;
    });
    level.bytes = group.waiting.size() * sizeof(Waiting) + items_.size() / 8 + 400;
    held_ += level.bytes;
    levels_.push_back(std::move(level));
    return true;
  }

  // Sets conflict_ to waiting items of section `s` that do not fit into it. Items that were raised last are
  // left out where the others are enough, because the search then goes back further.
  void explain(const ItemGroup& group, int s) {
    std::vector<Waiting> all;
    for (const Waiting& w : group.waiting)
      if (alive_in(w, s, s)) all.push_back(w);
    std::stable_sort(all.begin(), all.end(),
                     [](const Waiting& a, const Waiting& b) { return a.since > b.since; });
    int64_t excess = least_[size_t(s)] + left_[size_t(s)] - capacity_;
    conflict_.clear();
    for (const Waiting& w : all) {
      const int64_t bytes = items_[size_t(w.item)].bytes;
      if (bytes < excess)
        excess -= bytes;
      else
        conflict_.add(w.item);
    }
  }

  // Replaces the candidates of `level` by those of a section that has fewer. One waiting item will be the
  // lowest of the section. It will rest on placed items, or on a waiting item that fits below it, which in
  // turn will rest on placed items or on another such item. At least one of these items can therefore be
  // placed now. All of them are the candidates of the section.
  void choose_section(const ItemGroup& group, Level& level) {
    std::vector<std::tuple<size_t, int64_t, int>> sections;
    for (int s = group.first; s <= group.last; ++s)
      if (left_[size_t(s)] > 0 && choices_[size_t(s)] < level.candidates.size())
        sections.emplace_back(choices_[size_t(s)], least_[size_t(s)], s);
    const size_t tries = std::min(sections.size(), kSectionsTried);
    std::partial_sort(sections.begin(), sections.begin() + static_cast<int64_t>(tries), sections.end());
    int chosen = -1;
    std::vector<char> seen(group.waiting.size());
    for (size_t t = 0; t < tries && level.candidates.size() > 1; ++t) {
      const auto [choices, least, s] = sections[t];
      if (choices >= level.candidates.size()) break;
      const int64_t highest =
          capacity_ - left_[size_t(s)];  // the lowest item of the section starts here or below
      std::vector<size_t> found;
      for (size_t k = 0; k < group.waiting.size(); ++k) {
        seen[k] = alive_in(group.waiting[k], s, s);
        if (seen[k] && group.waiting[k].at <= highest) found.push_back(k);
      }
      for (size_t f = 0; f < found.size() && found.size() < level.candidates.size(); ++f) {
        work_ += group.waiting.size();
        for (size_t k = 0; k < group.waiting.size(); ++k) {
          const Waiting& w = group.waiting[k];
          if (!seen[k] && w.at + items_[size_t(w.item)].bytes <= highest &&
              overlap(w.item, group.waiting[found[f]].item))
            seen[k] = 1, found.push_back(k);
        }
      }
      if (found.size() < level.candidates.size()) level.candidates = found, chosen = s;
    }
    if (chosen < 0) return;
    level.conflict.clear();
    for (const Waiting& w : group.waiting)
      if (alive_in(w, chosen, chosen)) level.conflict.add(w.item);
  }

  // Places the current candidate of the last level. Returns the group to be solved next; null: everything is
  // placed.
  const ItemGroup* place() {
    Level& level = levels_.back();
    const Waiting& placed = level.group->waiting[level.candidates[level.tried]];
    const Item& item = items_[size_t(placed.item)];
    const int64_t top = placed.at + item.bytes;
    std::vector<Waiting> rest;
    rest.reserve(level.group->waiting.size());
    for (const Waiting& w : level.group->waiting) {
      if (w.item == placed.item) continue;
      const bool raised = w.at < top && overlap(w.item, placed.item);
      rest.push_back(raised ? Waiting{top, w.item, levels_.size()} : w);
    }
    offset[size_t(placed.item)] = placed.at;
    add_left(item, -1);
    divide(std::move(rest), level.group->first, level.group->last, level.group->next, level.parts);
    return level.parts.empty() ? level.group->next : level.parts.data();
  }

  // Goes back to the last placement that conflict_ depends on, and continues with the next candidate of its
  // level. If none is left, the conflicts of all candidates are the conflict of the group. False: no packing
  // exists.
  bool go_back() {
    for (; !levels_.empty(); levels_.pop_back()) {
      Level& level = levels_.back();
      const Waiting& placed = level.group->waiting[level.candidates[level.tried]];
      add_left(items_[size_t(placed.item)], 1);
      const int64_t top = placed.at + items_[size_t(placed.item)].bytes;
      bool in_group = false, raised = false;
      for (const Waiting& w : level.group->waiting)
        if (conflict_.has(w.item)) in_group = true, raised |= w.at < top && overlap(w.item, placed.item);
      work_ += level.group->waiting.size();
      if (raised) {
        level.conflict.add(conflict_), level.conflict.add(placed.item);
        if (++level.tried < level.candidates.size()) return true;
        conflict_ = level.conflict;
      }
      if (in_group) failures_.add(level.hash, conflict_);
      held_ -= level.bytes;
    }
    return false;
  }
};

}  // namespace

ExactResult pack_exactly(std::vector<PackedBuffer>& buffers, uint64_t alignment, uint64_t capacity,
                         double seconds) {
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
  Failures failures(ranges.items.size());
  constexpr const char* kOrders[] = {"WAT", "TAW", "TWA", "AST", "STW", "WST"};
  for (uint64_t limit = 500; Clock::now() < deadline; limit *= 2)
    for (const char* order : kOrders) {
      Search search(ranges, static_cast<int64_t>(capacity), order, limit, deadline, failures);
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
      if (search.limit() == Search::Limit::kNone)
        return result;  // the search was exhaustive: no packing exists
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
