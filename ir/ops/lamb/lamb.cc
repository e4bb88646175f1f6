// SPDX-License-Identifier: Apache-2.0
// The rules of lamb: infer, states, shard and cost (ir/core/op/op_info.h). The op is algorithm 2 of You et
// al., "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes" (ICLR 2020), where phi is
// the identity:
//
//   a' = beta1 a + (1 - beta1)               a and b are first_weight and second_weight, as for adam
//   b' = beta2 b + (1 - beta2)
//   m' = beta1 m + (1 - beta1) gradient      m and v are first_moment and second_moment
//   v' = beta2 v + (1 - beta2) gradient gradient
//   r = (m' / a') / (sqrt(v' / b') + epsilon) + weight_decay variable
//   trust = |variable| / |r|, or 1 if one of the lengths is 0
//   variable' = variable - learning_rate trust r
//
// The lengths are computed over the whole variable, so no dimension can be divided: each replica has the
// whole variable, and the devices of a tensor axis do not divide it.
#include "ir/core/op/update_rules.h"
#include "ir/ops/lamb/lamb_rules.h"

namespace cutset::rules::lamb {

Result<Types> infer(const LambAttrs&, const Types& in) { return infer_update("lamb", in, 2, 2); }
std::vector<VariableState> states(const LambAttrs&, const TensorType& variable) {
  return update_states(variable, 2, 2);
}
ShardingRule shard(const LambAttrs&, const Types&) { return {}; }
Cost cost(const LambAttrs&, const Types& in) { return update_cost(in, 5, 25); }

}  // namespace cutset::rules::lamb
