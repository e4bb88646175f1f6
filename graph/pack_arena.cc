#include "graph/pack_arena.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

namespace cutset {

Packing pack_arena(std::vector<ArenaValue>& values, uint64_t alignment) {
  std::vector<PackedBuffer> slots;
  std::vector<size_t> slot_of(values.size());
  using Free = std::pair<int64_t, size_t>;  // the last use of a slot, and the slot
  std::map<int64_t, std::priority_queue<Free, std::vector<Free>, std::greater<>>> groups;
  for (size_t i = 0; i < values.size(); ++i) {
    const ArenaValue& v = values[i];
    auto* group = v.group < 0 ? nullptr : &groups[v.group];
    if (group && !group->empty() && group->top().first < v.first) {
      slot_of[i] = group->top().second;
      group->pop();
      slots[slot_of[i]].last = std::max(slots[slot_of[i]].last, v.last);
    } else {
      slot_of[i] = slots.size();
      slots.push_back({v.first, v.last, v.bytes, 0});
    }
    if (group) group->emplace(v.last, slot_of[i]);
  }
  const Packing packing = pack_buffers(slots, alignment);
  for (size_t i = 0; i < values.size(); ++i) values[i].offset = slots[slot_of[i]].offset;
  return packing;
}

}  // namespace cutset
