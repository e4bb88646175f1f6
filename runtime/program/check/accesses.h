// SPDX-License-Identifier: Apache-2.0
// What the check of the memory knows of the accesses to memory so far.
#pragma once
#include "runtime/program/check/order.h"

namespace cutset::checks {

inline constexpr Clock kNever = {-1, -1, -1};

// The accesses to a unit of memory, or to all units of a simple frame, so far.
struct Times {
  Clock written = kNever, read = kNever;  // by queue: the last action that wrote or read it; -1: none
};
struct Accesses {
  Times times;
  uint64_t bytes = 0;      // the bytes of the arena that hold it now
  int64_t user = 0;        // the last instruction that used it, as counted by `instruction_`
  size_t result = 0;       // the result of this instruction that wrote it
  bool is_result = false;  // this instruction has written it
};
struct FrameAccesses {
  Times times;
  bool as_one = false;  // `times` holds for all its units, and the times of the units are out of date
  bool lost = false;    // something else may have been written to its memory since
};

}  // namespace cutset::checks
