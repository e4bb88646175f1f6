// SPDX-License-Identifier: Apache-2.0
// The rules of adadelta: infer, states, shard and cost (ir/core/op/op_info.h). The op is algorithm 1 of
// Zeiler, "ADADELTA: An Adaptive Learning Rate Method" (arXiv:1212.5701, 2012), in the form of
// torch.optim.Adadelta:
//
//   g = gradient + weight_decay variable
//   s' = rho s + (1 - rho) g g                     s is square_mean
//   d = sqrt(u + epsilon) / sqrt(s' + epsilon) g   u is square_step_mean
//   u' = rho u + (1 - rho) d d
//   variable' = variable - learning_rate d
#include "ir/core/op/update_rules.h"
#include "ir/ops/adadelta/adadelta_rules.h"

namespace cutset::rules::adadelta {

Result<Types> infer(const AdadeltaAttrs&, const Types& in) { return infer_update("adadelta", in, 2); }
std::vector<VariableState> states(const AdadeltaAttrs&, const TensorType& variable) {
  return update_states(variable, 2);
}
ShardingRule shard(const AdadeltaAttrs&, const Types& in) { return update_rule(in, 3); }
Cost cost(const AdadeltaAttrs&, const Types& in) { return update_cost(in, 3, 17); }

}  // namespace cutset::rules::adadelta
