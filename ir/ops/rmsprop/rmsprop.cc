// SPDX-License-Identifier: Apache-2.0
// The rules of rmsprop and centered_rmsprop: infer, states, shard and cost (ir/core/op/op_info.h). The ops
// are RMSProp of Tieleman and Hinton, "Lecture 6.5 - rmsprop" (COURSERA: Neural Networks for Machine
// Learning, 2012), and the centered form of Graves, "Generating Sequences With Recurrent Neural Networks"
// (arXiv:1308.0850, 2013, equations 38 to 45), in the form of torch.optim.RMSprop:
//
//   g = gradient + weight_decay variable
//   s' = alpha s + (1 - alpha) g g                 s is square_mean
//   m' = alpha m + (1 - alpha) g                   m is gradient_mean, in centered_rmsprop
//   d = sqrt(s'), or sqrt(max(s' - m' m', 0)) in centered_rmsprop
//   v' = momentum v + g / (d + epsilon)            v is velocity
//   variable' = variable - learning_rate v'
//
// torch takes the root of s' - m' m' itself, which is NaN if rounding makes it negative.
#include "ir/core/op/update_rules.h"
#include "ir/ops/rmsprop/rmsprop_rules.h"

namespace cutset::rules {

namespace rmsprop {
Result<Types> infer(const RmspropAttrs&, const Types& in) { return infer_update("rmsprop", in, 2); }
std::vector<VariableState> states(const RmspropAttrs&, const TensorType& variable) {
  return update_states(variable, 2);
}
ShardingRule shard(const RmspropAttrs&, const Types& in) { return update_rule(in, 3); }
Cost cost(const RmspropAttrs&, const Types& in) { return update_cost(in, 3, 12); }
}  // namespace rmsprop

namespace centered_rmsprop {
Result<Types> infer(const CenteredRmspropAttrs&, const Types& in) {
  return infer_update("centered_rmsprop", in, 3);
}
std::vector<VariableState> states(const CenteredRmspropAttrs&, const TensorType& variable) {
  return update_states(variable, 3);
}
ShardingRule shard(const CenteredRmspropAttrs&, const Types& in) { return update_rule(in, 4); }
Cost cost(const CenteredRmspropAttrs&, const Types& in) { return update_cost(in, 4, 17); }
}  // namespace centered_rmsprop

}  // namespace cutset::rules
