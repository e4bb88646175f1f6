// SPDX-License-Identifier: Apache-2.0
// The second check of a function, about its instructions: every index is in range, types agree, kernels have
// the result types that their ops infer, channels have a sender and a receiver, partial sums are started, and
// outputs are written completely.
#pragma once
#include "ir/core/result.h"
#include "runtime/program/program.h"

namespace cutset::checks {

// Fails with the first mistake that it finds. The function must have passed check_declarations. It takes O(n
// log n) time in the size of the function.
Status check_instructions(const Function& function);

}  // namespace cutset::checks
