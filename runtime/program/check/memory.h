// The fourth check of a function, about memory: buffers that are alive at the same time do not overlap, nothing is read
// before it is written, events order the accesses of two queues to the same memory, and a kernel overwrites an operand
// only if its op updates that operand.
#pragma once
#include "ir/core/result.h"
#include "runtime/program/program.h"

namespace cutset::check {

// Fails with the first mistake that it finds. The function must have passed check_instructions and check_order. It
// takes O(n log n) time in the size of the function.
Status check_memory(const Function& function);

}  // namespace cutset::check
