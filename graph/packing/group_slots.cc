// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/group_slots.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

namespace cutset {
namespace {

constexpr size_t kTried = 64;        // periods that are tried; of 64 numbers, one has many divisors
constexpr uint64_t kTolerated = 32;  // a shorter period may cost 1/32 of the bytes

struct SlotGroup {
  std::vector<size_t> values;  // their indices, in ascending order of `first`
  size_t staying = 0;          // how many of the first values, 0 or 1, have their own slot
  // The slots in which the other values take turns; 0: the lifetimes are not first-in-first-out.
  size_t slots = 0;
};

// Returns the least number of slots in which the values after the first `staying` values can take turns.
// Returns 0 if they cannot take turns.
size_t least_slots(std::span<const ArenaValue> all, const SlotGroup& group) {
  const auto value = [&](size_t n) -> const ArenaValue& { return all[group.values[n]]; };
  size_t least = 0;
  for (size_t n = group.staying, next = n; n < group.values.size(); ++n) {
    if (n > group.staying && (value(n).first < value(n - 1).first || value(n).last < value(n - 1).last))
      return 0;
    while (next < group.values.size() && value(next).first <= value(n).last) ++next;
    least = std::max(least, next - n);
  }
  return least;
}

// The slots of a group while its values are visited in their order.
struct Assigned {
  size_t values = 0;                                                  // how many were visited
  std::vector<size_t> turns;                                          // the slots that take turns, by number
  using Free = std::pair<int64_t, size_t>;                            // the last use of a slot, and the slot
  std::priority_queue<Free, std::vector<Free>, std::greater<>> free;  // free slots, if they do not take turns

  // Returns the slot of the next value; `next` is the number of the next new slot.
  size_t slot_of(const ArenaValue& value, const SlotGroup& group, size_t& next) {
    const size_t n = values++;
    if (group.slots == 0) {
      size_t slot = next;
      if (!free.empty() && free.top().first < value.first) {
        slot = free.top().second;
        free.pop();
      } else {
        ++next;
      }
      free.emplace(value.last, slot);
      return slot;
    }
    if (n < group.staying) return next++;
    turns.resize(group.slots, SIZE_MAX);
    size_t& slot = turns[n % group.slots];
    if (slot == SIZE_MAX) slot = next++;
    return slot;
  }
};

size_t least_divisor_from(size_t least, size_t number) {
  size_t found = number;
  for (size_t d = 1; d <= number / d; ++d)
    if (number % d == 0)
      for (size_t divisor : {d, number / d})
        if (divisor >= least) found = std::min(found, divisor);
  return found;
}

// Rounds the numbers of slots of the groups of one rotation up to divisors of its period.
void round_to_period(std::span<const ArenaValue> all, std::span<SlotGroup* const> groups) {
  size_t most = 1;
  for (const SlotGroup* g : groups) most = std::max(most, g->slots);
  // The bytes of one slot of all groups with the same numbers of slots and values.
  std::map<std::pair<size_t, size_t>, uint64_t> slots;
  uint64_t staying = 0;
  for (const SlotGroup* g : groups) {
    const uint64_t bytes = all[g->values.back()].bytes;
    if (g->slots > 0) {
      slots[{g->slots, g->values.size() - g->staying}] += bytes;
      staying += bytes * g->staying;
    }
  }
  std::vector<uint64_t> costs;  // the costs of the period `most` and of the periods after it
  while (costs.size() < std::min(most, kTried)) {
    costs.push_back(staying);
    for (const auto& [numbers, bytes] : slots)
      costs.back() +=
          bytes * std::min(least_divisor_from(numbers.first, most + costs.size() - 1), numbers.second);
  }
  const uint64_t fewest = *std::min_element(costs.begin(), costs.end());
  size_t period = most;
  while (costs[period - most] > fewest + fewest / kTolerated) ++period;
  for (SlotGroup* g : groups)
    if (g->slots > 0) g->slots = least_divisor_from(g->slots, period);
}

}  // namespace

std::vector<size_t> slots_of(std::span<const ArenaValue> all) {
  std::map<int64_t, SlotGroup> groups;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].group >= 0) groups[all[i].group].values.push_back(i);
  std::map<int64_t, std::vector<SlotGroup*>> rotations;
  for (auto& [number, group] : groups) {
    group.slots = least_slots(all, group);
    if (group.slots == 0) {
      group.staying = 1;
      group.slots = least_slots(all, group);
    }
    if (const int64_t rotation = all[group.values[0]].rotation; rotation >= 0)
      rotations[rotation].push_back(&group);
  }
  for (const auto& [number, of_rotation] : rotations) round_to_period(all, of_rotation);

  std::vector<size_t> slots(all.size());
  size_t next = 0;
  std::map<int64_t, Assigned> assigned;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].group < 0)
      slots[i] = next++;
    else
      slots[i] = assigned[all[i].group].slot_of(all[i], groups[all[i].group], next);
  }
  return slots;
}

}  // namespace cutset
