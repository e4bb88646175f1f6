// SPDX-License-Identifier: Apache-2.0
// Expands the roles of a program: each call of a role becomes the instructions of its body on the buffers of
// the call. Everything that interprets instructions (the executor, the checks, the forecast, `verify`) works
// on expanded programs, so this file is the definition of what a call means.
#pragma once
#include "ir/core/result.h"
#include "runtime/program/program.h"

namespace cutset {

// Returns the function without roles, frames and calls. The buffers of a role get a copy per call, in the
// same memory. A value that a call writes to a frame gets a buffer of its own, too, unless it is the first
// one there. It is a view of the value before it if the call updates that. What follows the call uses the new
// buffer, and so do all other queues, because they only use values that stay. Origins, the attribute
// `first_element` of the kernels, and the rows that they read with `rows_per_sample`, are those of the shard
// of the call. The roles must be valid (runtime/program/check/roles.h). It takes linear time in the size of
// the result.
Function expand(Function function);
// Expands all functions of a program.
Program expand(Program program);

// The number of instructions and buffers that the calls of a function expand to. A call of a role that does
// not exist counts as none.
uint64_t expanded_size(const Function& function);

}  // namespace cutset
