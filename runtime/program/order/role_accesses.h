// SPDX-License-Identifier: Apache-2.0
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
  // The accesses to a buffer, or to the buffers of an argument.
  struct Access {
    bool read = false;     // the role reads it before it writes it
    bool written = false;  // the role writes it
    bool operator==(const Access&) const = default;
  };
  struct Argument {
    std::vector<Access> buffers;  // by buffer of the argument
    Access any;                   // of at least one of them
    bool alike = true;            // whether all of them are accessed alike
  };
  std::vector<Argument> arguments;
  std::vector<ArenaRange> inside;  // the memory of the role itself, as disjoint ranges in ascending order

  // Returns the accesses of a role. The indices of the role must be in range. Takes O(n log n) time for n
  // buffers and instructions of the role.
  static RoleAccesses of(const Role& role);
};

}  // namespace cutset
