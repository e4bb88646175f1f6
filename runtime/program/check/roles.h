// SPDX-License-Identifier: Apache-2.0
// The check of the roles of a function, before it is expanded: every index is in range, calls fit their
// roles, and the expanded function is not too large. The other checks work on the expanded function.
#pragma once
#include "ir/core/result.h"
#include "runtime/program/program.h"

namespace cutset::checks {

// Fails with the first mistake that it finds. It takes linear time in the size of the function.
Status check_roles(const Function& function);

}  // namespace cutset::checks
