// SPDX-License-Identifier: Apache-2.0
// The test problems of ops in f16 and bf16.
#pragma once
#include <vector>

#include "ir/core/op/op_case.h"
#include "ir/core/op/op_info.h"

namespace cutset {

// Returns a case of `op` with `type` (f16 or bf16) in place of f32, in operands and attributes.
// - If the op updates its operands, only the variable, its gradient, and the sums and values that are added
//   or averaged get the type. All else stays f32 (ir/core/op/update_rules.h).
// - Unless the case is exact, the distance of two neighbouring numbers of the type is added to the tolerance:
//   two f32 results that differ by the tolerance may round to neighbours.
Case in_type(const OpInfo& op, Case c, DType type);
// Returns the fixed cases of `op` that contain f32, in f16 and in bf16, without the cases that the op refuses
// in these types.
std::vector<Case> half_cases(const OpInfo& op);

}  // namespace cutset
