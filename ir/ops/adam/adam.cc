// SPDX-License-Identifier: Apache-2.0
// The rules of adam: infer, states, shard and cost (ir/core/op/op_info.h). The op is algorithm 1 of Kingma
// and Ba, "Adam: A Method for Stochastic Optimization" (ICLR 2015), and, if `decoupled` is true, algorithm 2
// of Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (ICLR 2019), both in the form of
// torch.optim.Adam and torch.optim.AdamW:
//
//   g = gradient + (decoupled ? 0 : weight_decay variable)
//   a' = beta1 a + (1 - beta1)               a and b are first_weight and second_weight
//   b' = beta2 b + (1 - beta2)
//   m' = beta1 m + (1 - beta1) g             m and v are first_moment and second_moment
//   v' = beta2 v + (1 - beta2) g g
//   step = learning_rate / a' * (m' / (sqrt(v') / sqrt(b') + epsilon))
//   variable' = (variable - (decoupled ? learning_rate weight_decay variable : 0)) - step
//
// The paper divides m' by 1 - beta1^t in step t. This number is a', the sum of the weights of all gradients
// in m': a has the recurrence of m for gradients of 1. The recurrence has three advantages:
// - It needs no power, whose rounding depends on the device.
// - It stays right if beta1 changes between two steps.
// - It belongs to m: a checkpoint without m also has no a.
#include "ir/core/op/update_rules.h"
#include "ir/ops/adam/adam_rules.h"

namespace cutset::rules::adam {

Result<Types> infer(const AdamAttrs&, const Types& in) { return infer_update("adam", in, 2, 2); }
std::vector<VariableState> states(const AdamAttrs&, const TensorType& variable) {
  return update_states(variable, 2, 2);
}
ShardingRule shard(const AdamAttrs&, const Types& in) { return update_rule(in, 5); }
Cost cost(const AdamAttrs&, const Types& in) { return update_cost(in, 5, 16); }

}  // namespace cutset::rules::adam
