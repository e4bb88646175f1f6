// SPDX-License-Identifier: Apache-2.0
// The rules of trilu: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/ops/trilu/trilu_rules.h"

namespace cutset::rules::trilu {

Result<Types> infer(const Attrs&, const Types& in) {
  if (in[0].rank() < 2) return invalid_argument("C1: x is " + to_string(in[0]) + ", which is not a matrix");
  return Types{in[0]};
}
// The last two dimensions cannot be split, because an element depends on its row and column.
ShardingRule shard(const Attrs&, const Types& in) {
  ShardingRule rule;
  for (int d = 0; d < in[0].rank() - 2; ++d) rule.factor({d}, {d});
  return rule;
}
Cost cost(const Attrs&, const Types& in) { return streaming_cost(in, in, 0); }

GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  return {b("trilu", {op.gradients[0]}, op.attributes)};
}

}  // namespace cutset::rules::trilu
