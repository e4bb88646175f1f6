// SPDX-License-Identifier: Apache-2.0
// Packs the arena of a device on two levels. The values between instructions and calls are packed over the
// time of the schedule. The memory inside the roles that are called several times is one region, which the
// calls share.
#pragma once
#include <cstdint>
#include <vector>

#include "graph/packing/buffer_packing.h"

namespace cutset {

// A value in the arena.
struct ArenaValue {
  int64_t first = 0, last = 0;  // positions of the first and the last use
  uint64_t bytes = 0;
  // Values of one group have the same size, and share slots (graph/packing/group_slots.h): result `i` of each
  // call of a role is a group. Slots of groups with the same lifetime are placed side by side, as one buffer.
  // -1: no group.
  int64_t group = -1;
  // The rotation of the group and of all its values. -1: the calls that use the group use no other group.
  int64_t rotation = -1;
  uint64_t offset = 0;  // result
};

// Sets the offset of every value. The values of a group are in ascending order of `first`. It takes O(n log
// n) time for n values.
Packing pack_arena(std::vector<ArenaValue>& values, uint64_t alignment);

}  // namespace cutset
