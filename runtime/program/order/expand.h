// SPDX-License-Identifier: Apache-2.0
// Expands the roles of a program: each call of a role becomes the instructions of its body on the buffers of
// the call. Everything that interprets instructions (the executor, the checks, the forecast, `verify`) works
// on expanded programs, so this file is the definition of what a call means.
#pragma once
#include "ir/core/result.h"
#include "runtime/program/program.h"

namespace cutset {

// Returns the function without roles, frames and calls.
// - The buffers of a role get one copy per call, in the same memory.
// - Each value that a call writes to a frame also gets its own buffer, except the first value of the frame.
//   If the call updates the value before, the new buffer is a view of it.
// - All instructions after the call use the new buffer. Instructions of other queues also use it, because
//   they only use values that stay.
// - Origins, the attribute `first_element` of the kernels, and the rows that kernels read with
//   `rows_per_sample` are set for the shard of the call.
// The roles must be valid (runtime/program/check/roles.h). Takes linear time in the size of the result.
Function expand(Function function);
// Expands all functions of a program.
Program expand(Program program);

// Returns the number of instructions and buffers that the calls of a function expand to. A call of a role
// that does not exist counts as none.
uint64_t expanded_size(const Function& function);

}  // namespace cutset
