// SPDX-License-Identifier: Apache-2.0
// The rules of scale: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/structural/scale/scale_rules.h"

namespace cutset::rules::scale {
Result<Types> infer(const ScaleAttrs&, const Types& in) {
  if (!is_float(in[0].dtype))
    return invalid_argument(std::string("C1: needs a floating-point type, not ") + name_of(in[0].dtype),
                            "cast it");
  return Types{in[0]};
}
ShardingRule shard(const ScaleAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const ScaleAttrs&, const Types& in) {
  return streaming_cost(in, in, static_cast<double>(in[0].elements()));
}

GraphValues gradient(GradientBuilder& b, const ScaleAttrs&, const Differentiated& op) {
  return {b("scale", {op.gradients[0]}, op.attributes)};
}
}  // namespace cutset::rules::scale
