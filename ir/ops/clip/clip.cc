// SPDX-License-Identifier: Apache-2.0
// The rules of clip: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/ops/clip/clip_rules.h"

namespace cutset::rules::clip {

Result<Types> infer(const ClipAttrs&, const Types& in) {
  if (in[0].dtype == DType::i1) return invalid_argument("C1: needs a numeric type, not i1", "cast it");
  for (size_t i = 1; i < in.size(); ++i)
    if (in[i] != TensorType{in[0].dtype, {}})
      return invalid_argument("C2: a bound is " + to_string(in[i]) + ", not " +
                              to_string(TensorType{in[0].dtype, {}}));
  return Types{in[0]};
}

ShardingRule shard(const ClipAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }

Cost cost(const ClipAttrs&, const Types& in) {
  return streaming_cost(in, {in[0]},
                        static_cast<double>(in[0].elements()) * static_cast<double>(in.size() - 1));
}

// If an element is equal to a bound, x gets its gradient.
GraphValues gradient(GradientBuilder& b, const ClipAttrs& a, const Differentiated& op) {
  const ClipOperands at = clip_operands(a, op.operands.size());
  const GraphValue x = op.operands[0], none = b("full_like", {x}, {{"value", 0.0}});
  GraphValues gradients(op.operands.size());
  GraphValue g = op.gradients[0];
  // Divides g: the bound gets g where it replaced the element, and x gets g elsewhere.
  const auto divide = [&](OperandRange bound, GraphValue replaced) {
    gradients[bound.first] = b.sum_to_size(b("where", {replaced, g, none}), op.operands[bound.first]);
    g = b("where", {replaced, none, g});
  };
  GraphValue raised = x;  // x after the first bound
  if (at.minimum) raised = b("maximum", {x, op.operands[at.minimum.first]});
  if (at.maximum) divide(at.maximum, b("greater", {raised, op.operands[at.maximum.first]}));
  if (at.minimum) divide(at.minimum, b("less", {x, op.operands[at.minimum.first]}));
  gradients[0] = g;
  return gradients;
}

}  // namespace cutset::rules::clip
