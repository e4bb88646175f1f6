// SPDX-License-Identifier: Apache-2.0
// The rules of adagrad: infer, states, shard and cost (ir/core/op/op_info.h). The op is the diagonal form of
// Duchi, Hazan and Singer, "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization"
// (JMLR 12, 2011, section 1.1), in the form of torch.optim.Adagrad:
//
//   g = gradient + weight_decay variable
//   s' = s + g g                                   s is square_sum
//   rate = learning_rate / (1 + steps learning_rate_decay)
//   variable' = variable - rate * (g / (sqrt(s') + epsilon)); steps' = steps + 1
#include <cmath>

#include "ir/core/op/update_rules.h"
#include "ir/ops/adagrad/adagrad_rules.h"

namespace cutset::rules::adagrad {

Result<Types> infer(const AdagradAttrs& a, const Types& in) {
  CUTSET_ASSIGN(Types out, infer_update("adagrad", in, 1, 1));
  if (!std::isfinite(a.first_sum) || a.first_sum < 0)
    return invalid_argument("C3: first_sum is " + std::to_string(a.first_sum) +
                            "; it must be finite and not negative");
  return out;
}
std::vector<VariableState> states(const AdagradAttrs& a, const TensorType& variable) {
  auto states = update_states(variable, 1, 1);
  states[0].first = a.first_sum;
  return states;
}
ShardingRule shard(const AdagradAttrs&, const Types& in) { return update_rule(in, 3); }
Cost cost(const AdagradAttrs&, const Types& in) { return update_cost(in, 3, 8); }

}  // namespace cutset::rules::adagrad
