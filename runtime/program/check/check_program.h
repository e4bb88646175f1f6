// SPDX-License-Identifier: Apache-2.0
// Checks a Program, which may come from an untrusted file, before any memory is allocated for it.
#pragma once
#include "ir/core/result.h"
#include "runtime/program/program.h"

namespace cutset {

// Verifies everything that the executor assumes about a program:
//   - every name is valid (ir/core/names.h), and every index is in range;
//   - every buffer lies inside its arena and does not overlap a buffer that is in use at the same time;
//   - every kernel has the result types that its op infers from the operand types;
//   - nothing is read before it is written;
//   - two accesses to the same memory are ordered if one of them writes;
//   - variables are written only in `apply`, after the step is committed, from values that finite checks have
//     tested;
//   - the partial sums of every all_reduce form a tree;
//   - every byte of every output is written exactly once;
//   - every step terminates.
// Fails with the first mistake that it finds, naming the function, the instruction or buffer, the index and
// its limit. It does not check that the devices have the kernels; that is done when the program is loaded.
Status check_program(const Program& program);

// Verifies the order of a function alone: every step terminates, nothing is read before it is written, memory
// is not used again while its value is needed, and two accesses to the same memory are ordered if one of them
// writes (runtime/program/check/memory.h). The function must come from the compiler, or have passed the other
// checks. It need not be expanded.
Status check_races(const Function& function);

}  // namespace cutset
