// What a call of a role accesses, without the order inside the role.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/program/program.h"

namespace cutset {

// Bytes of the arena.
struct ArenaRange {
  uint64_t begin, end;
};

struct RoleAccesses {
  std::vector<size_t> read;        // the parameters that the role reads before it writes them, in ascending order
  std::vector<size_t> written;     // the parameters that it writes, in ascending order
  std::vector<ArenaRange> inside;  // the memory of the role itself, as disjoint ranges in ascending order

  // The indices of the role must be in range. It takes O(n log n) time for n buffers and instructions of the role.
  static RoleAccesses of(const Role& role);
};

}  // namespace cutset
