// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/buffer_packing_exact.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <tuple>
#include <utility>

#include "graph/packing/failed_groups.h"
#include "graph/packing/item_groups.h"
#include "graph/packing/live_ranges.h"

namespace cutset {
namespace {

using Clock = std::chrono::steady_clock;

class Search {
 public:
  // The limit that ended the search; kNone: the search was exhaustive or found a packing.
  enum class Limit { kNone, kNodes, kTime, kMemory };

  Search(const LiveRanges& ranges, int64_t capacity, const std::string& order, uint64_t node_limit,
         Clock::time_point deadline, FailedGroups& failures)
      : offset(ranges.items.size(), -1),
        items_(ranges, order),
        capacity_(capacity),
        node_limit_(node_limit),
        deadline_(deadline),
        failures_(failures),
        least_(ranges.total.size()),
        choices_(ranges.total.size()),
        conflict_(items_.size()) {}

  // Returns whether it found a packing. The offsets are then in `offset`.
  bool run() {
    const std::vector<ItemGroup> groups = items_.divide(items_.all(), 0, items_.sections() - 1, nullptr);
    work_ += items_.size() * groups.size();
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
  // A level of the search: a group, and the candidate of the group that is placed. All candidates are tried,
  // one after the other.
  struct Level {
    const ItemGroup* group;
    uint64_t hash;
    std::vector<size_t> candidates;  // indices into group->waiting
    size_t tried;                    // the candidate that is placed
    ItemSet conflict;                // the items because of which the candidates before `tried` failed
    std::vector<ItemGroup> parts;    // what is left of the group
    size_t bytes;                    // memory that the level holds
  };
  static constexpr uint64_t kMostHeld = (uint64_t{1} << 30) - (uint64_t{1} << 28),
                            kWorkBetweenClocks = 400'000;
  static constexpr size_t kSectionsTried = 5;

  RemainingItems items_;
  const int64_t capacity_;
  const uint64_t node_limit_;
  const Clock::time_point deadline_;
  FailedGroups& failures_;
  std::vector<int64_t> least_;   // least_[section]: the lowest offset of a waiting item
  std::vector<size_t> choices_;  // choices_[section]: the number of waiting items that could be the lowest
                                 // item of the section
  std::deque<Level> levels_;     // a deque, because levels and groups point to groups in earlier levels
  ItemSet conflict_;             // waiting items that cannot all be packed; set where a group has no packing
  uint64_t nodes_ = 0;
  Limit limit_ = Limit::kNone;
  uint64_t work_ = 0;  // items and sections that were visited since the clock was read
  uint64_t held_ = 0;  // bytes that all levels hold

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

  // Adds a level for `group`. Returns false without a level if a limit is reached, or if the group has no
  // packing. In the second case, also sets conflict_.
  bool open(const ItemGroup& group) {
    size_t lengths = 0;
    int64_t lowest_top = INT64_MAX;  // the lowest top that an item could have now
    int lowest = -1;
    std::fill_n(least_.begin() + group.first, group.last - group.first + 1, INT64_MAX);
    std::fill_n(choices_.begin() + group.first, group.last - group.first + 1, 0);
    for (const Waiting& w : group.waiting) {
      const LiveRanges::Item& i = items_.item(w.item);
      if (w.at + i.bytes < lowest_top) {
        lowest_top = w.at + i.bytes;
        lowest = w.item;
      }
      for (int s = i.first; s <= i.last; ++s) {
        least_[size_t(s)] = std::min(least_[size_t(s)], w.at);
        choices_[size_t(s)] += w.at + items_.bytes_left(s) <= capacity_;
      }
      lengths += size_t(i.last - i.first + 1);
    }
    if (!within_limits(group.waiting.size() + lengths)) return false;
    for (int s = group.first; s <= group.last; ++s)
      if (items_.bytes_left(s) > 0 && least_[size_t(s)] + items_.bytes_left(s) > capacity_) {
        explain(group, s);
        return false;
      }
    const uint64_t hash = FailedGroups::hash(group);
    if (const ItemSet* conflict = failures_.find(hash)) {
      conflict_ = *conflict;
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

  // Sets conflict_ to waiting items of section `s` that do not fit into the section together. Items are left
  // out of the conflict as long as the other items still do not fit. The items that were raised last are left
  // out first, so that the search goes back further.
  void explain(const ItemGroup& group, int s) {
    std::vector<Waiting> all;
    for (const Waiting& w : group.waiting)
      if (items_.alive_in(w.item, s, s)) all.push_back(w);
    std::stable_sort(all.begin(), all.end(),
                     [](const Waiting& a, const Waiting& b) { return a.since > b.since; });
    int64_t excess = least_[size_t(s)] + items_.bytes_left(s) - capacity_;
    conflict_.clear();
    for (const Waiting& w : all) {
      const int64_t bytes = items_.item(w.item).bytes;
      if (bytes < excess)
        excess -= bytes;
      else
        conflict_.add(w.item);
    }
  }

  // Replaces the candidates of `level` by the candidates of a section that has fewer. Some waiting item will
  // be the lowest item of the section. It will rest on placed items, or on a waiting item that fits below it.
  // The same holds for that waiting item. At least one item of this chain can therefore be placed now. The
  // candidates of a section are all items that can be in such a chain.
  void choose_section(const ItemGroup& group, Level& level) {
    std::vector<std::tuple<size_t, int64_t, int>> sections;
    for (int s = group.first; s <= group.last; ++s)
      if (items_.bytes_left(s) > 0 && choices_[size_t(s)] < level.candidates.size())
        sections.emplace_back(choices_[size_t(s)], least_[size_t(s)], s);
    const size_t tries = std::min(sections.size(), kSectionsTried);
    std::partial_sort(sections.begin(), sections.begin() + static_cast<int64_t>(tries), sections.end());
    int chosen = -1;
    std::vector<char> seen(group.waiting.size());
    for (size_t t = 0; t < tries && level.candidates.size() > 1; ++t) {
      const auto [choices, least, s] = sections[t];
      if (choices >= level.candidates.size()) break;
      const int64_t highest =
          capacity_ - items_.bytes_left(s);  // the lowest item of the section starts here or below
      std::vector<size_t> found;
      for (size_t k = 0; k < group.waiting.size(); ++k) {
        seen[k] = items_.alive_in(group.waiting[k].item, s, s);
        if (seen[k] && group.waiting[k].at <= highest) found.push_back(k);
      }
      for (size_t f = 0; f < found.size() && found.size() < level.candidates.size(); ++f) {
        work_ += group.waiting.size();
        for (size_t k = 0; k < group.waiting.size(); ++k) {
          const Waiting& w = group.waiting[k];
          if (seen[k] || w.at + items_.item(w.item).bytes > highest ||
              !items_.overlap(w.item, group.waiting[found[f]].item))
            continue;
          seen[k] = 1;
          found.push_back(k);
        }
      }
      if (found.size() < level.candidates.size()) {
        level.candidates = found;
        chosen = s;
      }
    }
    if (chosen < 0) return;
    level.conflict.clear();
    for (const Waiting& w : group.waiting)
      if (items_.alive_in(w.item, chosen, chosen)) level.conflict.add(w.item);
  }

  // Places the current candidate of the last level. Returns the group to be solved next; null: everything is
  // placed.
  const ItemGroup* place() {
    Level& level = levels_.back();
    const Waiting& placed = level.group->waiting[level.candidates[level.tried]];
    const int64_t top = placed.at + items_.item(placed.item).bytes;
    std::vector<Waiting> rest;
    rest.reserve(level.group->waiting.size());
    for (const Waiting& w : level.group->waiting) {
      if (w.item == placed.item) continue;
      const bool raised = w.at < top && items_.overlap(w.item, placed.item);
      rest.push_back(raised ? Waiting{top, w.item, levels_.size()} : w);
    }
    offset[size_t(placed.item)] = placed.at;
    items_.place(placed.item);
    const size_t count = rest.size();
    level.parts = items_.divide(std::move(rest), level.group->first, level.group->last, level.group->next);
    work_ += count * level.parts.size();
    return level.parts.empty() ? level.group->next : level.parts.data();
  }

  // Goes back to the last placement that conflict_ depends on, and continues with the next candidate of its
  // level. If none is left, the conflict of the group is the union of the conflicts of all its candidates.
  // False: no packing exists.
  bool go_back() {
    for (; !levels_.empty(); levels_.pop_back()) {
      Level& level = levels_.back();
      const Waiting& placed = level.group->waiting[level.candidates[level.tried]];
      items_.take_back(placed.item);
      const int64_t top = placed.at + items_.item(placed.item).bytes;
      bool in_group = false, raised = false;
      for (const Waiting& w : level.group->waiting)
        if (conflict_.has(w.item)) {
          in_group = true;
          raised |= w.at < top && items_.overlap(w.item, placed.item);
        }
      work_ += level.group->waiting.size();
      if (raised) {
        level.conflict.add(conflict_);
        level.conflict.add(placed.item);
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
    buffers = greedy;
    result.packing = packing;
    return result;
  }
  if (packing.lower_bound > capacity) return result;

  const LiveRanges ranges(buffers, alignment);
  FailedGroups failures(ranges.items.size());
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
