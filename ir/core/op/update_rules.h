// SPDX-License-Identifier: Apache-2.0
// Rules that most optimizers share. The operands of an optimizer are the variable, its states, the gradient
// and the hyper-parameters, in this order.
#pragma once
#include "ir/core/op/op_info.h"

namespace cutset {

// The element type of the states and hyper-parameters of a variable with elements of `variable`, and of what
// is computed from its gradient: f32 for f16 and bf16, in which 0.999 or 1e-8 cannot be stored, and otherwise
// `variable` itself (docs/decisions/0055-states-of-sixteen-bit-variables-are-f32.md).
DType update_type(DType variable);

// The types of the results of the optimizer `op`. Its `tensors` states after the variable have the shape of
// the variable and elements of update_type(); the `scalars` states after them are scalars of update_type().
// Fails with constraint C1 if such a state differs, if the gradient has neither the type of the variable nor
// that of these states, or if the variable has no floating-point type, and with C2 if another operand is not
// a scalar of update_type().
Result<Types> infer_update(const char* op, const Types& in, size_t tensors, size_t scalars = 0);
// Such states of a variable, which are 0 before the first step.
std::vector<VariableState> update_states(const TensorType& variable, size_t tensors, size_t scalars = 0);
// The rule of an optimizer that computes each element of the variable for itself: one factor per dimension of
// the variable. The first `updates` operands are replaced by the results. Operands and results of another
// shape than that of the variable have no factor.
ShardingRule update_rule(const Types& in, size_t updates);
// The cost of an optimizer that does `flops` operations per element of the variable.
Cost update_cost(const Types& in, size_t updates, double flops);

}  // namespace cutset
