// SPDX-License-Identifier: Apache-2.0
// The rules of cast: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/structural/cast/cast_rules.h"

namespace cutset::rules::cast {
Result<Types> infer(const CastAttrs& a, const Types& in) {
  return Types{{static_cast<DType>(a.dtype), in[0].shape}};
}
ShardingRule shard(const CastAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const CastAttrs& a, const Types& in) { return streaming_cost(in, *infer(a, in), 0); }

GraphValues gradient(GradientBuilder& b, const CastAttrs&, const Differentiated& op) {
  const DType x = b.type(op.operands[0]).dtype;
  if (!is_float(x)) return {};
  return {b("cast", {op.gradients[0]}, {{"dtype", x}})};
}
}  // namespace cutset::rules::cast
