// SPDX-License-Identifier: Apache-2.0
// The rules of sgd: infer, states, shard and cost (ir/core/op/op_info.h). The op is momentum SGD as in
// Sutskever et al., "On the importance of initialization and momentum in deep learning" (ICML 2013), in
// PyTorch's form: the learning rate scales the velocity, not the gradient.
#include "ir/core/op/update_rules.h"
#include "ir/ops/sgd/sgd_rules.h"

namespace cutset::rules::sgd {

Result<Types> infer(const SgdAttrs&, const Types& in) { return infer_update("sgd", in, 1); }
std::vector<VariableState> states(const SgdAttrs&, const TensorType& variable) {
  return update_states(variable, 1);
}
ShardingRule shard(const SgdAttrs&, const Types& in) { return update_rule(in, 2); }
Cost cost(const SgdAttrs&, const Types& in) { return update_cost(in, 2, 4); }

}  // namespace cutset::rules::sgd
