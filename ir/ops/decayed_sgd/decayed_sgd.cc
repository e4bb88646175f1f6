// SPDX-License-Identifier: Apache-2.0
// The rules of decayed_sgd: infer, states, shard and cost (ir/core/op/op_info.h). The op is momentum SGD of
// Sutskever et al., "On the importance of initialization and momentum in deep learning" (ICML 2013), in the
// form of torch.optim.SGD:
//
//   g = gradient + weight_decay variable
//   v' = momentum v + (1 - dampening started) g
//   variable' = variable - learning_rate * (nesterov ? g + momentum v' : v');  started' = 1
//
// v and started are 0 before the first step, so the first step is not dampened.
// The op sgd is the case without weight decay, dampening and Nesterov's momentum. It reads three scalars
// less.
#include "ir/core/op/update_rules.h"
#include "ir/ops/decayed_sgd/decayed_sgd_rules.h"

namespace cutset::rules::decayed_sgd {

Result<Types> infer(const DecayedSgdAttrs&, const Types& in) { return infer_update("decayed_sgd", in, 1, 1); }
std::vector<VariableState> states(const DecayedSgdAttrs&, const TensorType& variable) {
  return update_states(variable, 1, 1);
}
ShardingRule shard(const DecayedSgdAttrs&, const Types& in) { return update_rule(in, 3); }
Cost cost(const DecayedSgdAttrs&, const Types& in) { return update_cost(in, 3, 9); }

}  // namespace cutset::rules::decayed_sgd
