// SPDX-License-Identifier: Apache-2.0
// Orders the queues of a device by signals and waits, from the accesses of their instructions to the arena.
#pragma once
#include <vector>

#include "runtime/program/program.h"

namespace cutset {

// Inserts signals and waits into the lists `compute` of a device. If two instructions of different queues
// access the same bytes of the arena, and one of them writes, they then run in the order of the schedule.
// `schedule` has the queue of each instruction of these lists, in the order of the schedule. The lists must
// have neither signals nor waits, and all buffers must have their places. The lists `apply` need no signals,
// because they begin when all queues have finished `compute`.
//
// Method: every byte of the arena keeps the instruction that wrote it last, and the instructions of each
//   queue that read it since. The schedule is walked from the first instruction to the last. A read waits for
//   the last write, and a write waits for the last write and all reads since. A signal directly follows the
//   instruction that is waited for, so the queues overlap as much as the memory allows. A wait is for an
//   earlier instruction of the schedule, so no waits form a cycle. Some of the waits may follow from others
//   (runtime/program/order/implied_waits.h). Memory is accessed as check/memory.h says. A call of a role
//   accesses what the instructions of the role access.
// Complexity: O(n log n) for n buffers that the instructions name, where the instructions of each role count
//   once.
void order_queues(Function& function, size_t device, const std::vector<Queue>& schedule);

}  // namespace cutset
