// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/pack_arena.h"

#include <algorithm>
#include <map>

#include "graph/packing/group_slots.h"

namespace cutset {

Packing pack_arena(std::vector<ArenaValue>& values, uint64_t alignment) {
  struct BufferSlice {
    size_t buffer = 0;
    uint64_t offset = 0;
  };
  const std::vector<size_t> slot_of = slots_of(values);
  std::vector<PackedBuffer> slots;
  std::vector<bool> grouped;  // by slot
  for (size_t i = 0; i < values.size(); ++i) {
    const ArenaValue& v = values[i];
    if (slot_of[i] == slots.size()) {
      slots.push_back({v.first, v.last, v.bytes, 0});
      grouped.push_back(v.group >= 0);
    }
    PackedBuffer& slot = slots[slot_of[i]];
    slot.last = std::max(slot.last, v.last);
  }
  // Slots of groups with the same lifetime are packed as one buffer. Such groups are the values that a role
  // keeps for a later role, one frame per micro-batch. The number of these buffers therefore does not grow
  // with the number of values.
  std::vector<PackedBuffer> buffers;
  std::vector<BufferSlice> places(slots.size());
  std::map<std::pair<int64_t, int64_t>, size_t> frames;  // lifetime -> buffer
  for (size_t s = 0; s < slots.size(); ++s) {
    size_t buffer = buffers.size();
    if (grouped[s]) buffer = frames.try_emplace({slots[s].first, slots[s].last}, buffer).first->second;
    if (buffer == buffers.size()) buffers.push_back({slots[s].first, slots[s].last, 0, 0});
    uint64_t& bytes = buffers[buffer].bytes;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    places[s] = {buffer, bytes};
    bytes += slots[s].bytes;
  }
  const Packing packing = pack_buffers(buffers, alignment);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto& [buffer, offset] = places[slot_of[i]];
    values[i].offset = buffers[buffer].offset + offset;
  }
  return packing;
}

}  // namespace cutset
