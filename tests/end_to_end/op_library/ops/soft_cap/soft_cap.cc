// SPDX-License-Identifier: Apache-2.0
// The rules of soft_cap: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include <cmath>

#include "ops/soft_cap/soft_cap_rules.h"

namespace cutset::rules::soft_cap {

Result<Types> infer(const SoftCapAttrs& a, const Types& in) {
  if (in[0].dtype != DType::f32 && in[0].dtype != DType::f64)
    return invalid_argument(std::string("C1: needs f32 or f64, not ") + name_of(in[0].dtype), "cast it");
  if (!(a.limit > 0) || !std::isfinite(a.limit))
    return invalid_argument("C2: the limit is " + std::to_string(a.limit) + ", not a positive finite number");
  return Types{in[0]};
}

ShardingRule shard(const SoftCapAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }

Cost cost(const SoftCapAttrs&, const Types& in) {
  return streaming_cost(in, {in[0]}, 10 * static_cast<double>(in[0].elements()));
}

// The derivative of limit * tanh(x / limit) is 1 - (y / limit)^2, where y is the result.
GraphValues gradient(GradientBuilder& b, const SoftCapAttrs& a, const Differentiated& op) {
  const DType type = b.type(op.operands[0]).dtype;
  const GraphValue share = b("div", {op.results[0], b.constant(type, a.limit)});
  const GraphValue slope = b("sub", {b.constant(type, 1), b("mul", {share, share})});
  return {b("mul", {op.gradients[0], slope})};
}

}  // namespace cutset::rules::soft_cap
