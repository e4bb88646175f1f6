// SPDX-License-Identifier: Apache-2.0
// The test problems of ops in f16 and bf16.
#pragma once
#include <vector>

#include "ir/core/op/op_case.h"
#include "ir/core/op/op_info.h"

namespace cutset {

// A case of `op` with `type` (f16 or bf16) in place of f32, in operands and attributes. Of an op that updates
// its operands, only the variable, its gradient, and the sums and values that are added or averaged are
// changed: all else is f32 (ir/core/op/update_rules.h). The tolerance is that of the case and, unless the
// case is exact, the distance of two neighbouring numbers of the type: two f32 results that differ by the
// tolerance of the case may round to neighbours.
Case in_type(const OpInfo& op, Case c, DType type);
// The fixed cases of `op` that contain f32, in f16 and in bf16, without those that the op refuses in these
// types.
std::vector<Case> half_cases(const OpInfo& op);

}  // namespace cutset
