// SPDX-License-Identifier: Apache-2.0
// The fifth check of a function, about the commit: every floating-point value that `apply` takes from
// `compute` is tested by a finite check of its device, so that no update uses an infinity or NaN.
#pragma once
#include "ir/core/result.h"
#include "runtime/program/program.h"

namespace cutset::checks {

// Fails if an instruction reads a value without a test, or if a flag does not stand for its tensors. The step
// number and the hyper-parameters need no test, because the session feeds them. The function must be expanded
// and have passed check_instructions. It takes O(n log n) time in the size of the function.
Status check_finite_checks(const Function& function);

}  // namespace cutset::checks
