// SPDX-License-Identifier: Apache-2.0
// The rules that most optimizers share. The operands of an optimizer are the variable, its states, the
// gradient and the hyper-parameters, in this order.
#pragma once
#include "ir/core/op/op_info.h"

namespace cutset {

// Returns the element type of the states and hyper-parameters of a variable, and of the values that are
// computed from its gradient, if the variable has the element type `variable`. It is f32 for f16 and bf16,
// which cannot represent 0.999 or 1e-8, and otherwise `variable` itself
// (docs/decisions/0055-states-of-sixteen-bit-variables-are-f32.md).
DType update_type(DType variable);

// Returns the types of the results of the optimizer `op`. The first `tensors` states have the shape of the
// variable and elements of update_type(). The next `scalars` states are scalars of update_type(). Fails in
// these cases:
// - C1: the variable does not have a floating-point type.
// - C1: a state with the shape of the variable or a scalar state has another type.
// - C1: the gradient has neither the type of the variable nor the type of the states.
// - C2: another operand is not a scalar of update_type().
Result<Types> infer_update(const char* op, const Types& in, size_t tensors, size_t scalars = 0);
// Returns `tensors` states with the shape of the variable and `scalars` scalar states, which are 0 before the
// first step.
std::vector<VariableState> update_states(const TensorType& variable, size_t tensors, size_t scalars = 0);
// Returns the rule of an optimizer that computes each element of the variable separately: one factor per
// dimension of the variable. The results replace the first `updates` operands. Operands and results that do
// not have the shape of the variable have no factor.
ShardingRule update_rule(const Types& in, size_t updates);
// Returns the cost of an optimizer that does `flops` operations per element of the variable.
Cost update_cost(const Types& in, size_t updates, double flops);

}  // namespace cutset
