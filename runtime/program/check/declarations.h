// SPDX-License-Identifier: Apache-2.0
// The first check of a function, about what it declares: inputs, outputs, shards, buffers, channels,
// collectives and finite checks. Every index is in range, all names and texts are valid, types agree, and
// buffers lie in their arenas.
#pragma once
#include "ir/core/result.h"
#include "runtime/program/program.h"

namespace cutset::checks {

// Fails with the first mistake that it finds. The devices, variables and constants of the program must have
// been checked. It takes O(n log n) time in the size of the function.
Status check_declarations(const Program& program, const Function& function);

}  // namespace cutset::checks
