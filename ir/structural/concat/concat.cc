// SPDX-License-Identifier: Apache-2.0
// The rules of concat: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/core/rows.h"
#include "ir/structural/concat/concat_rules.h"

namespace cutset::rules::concat {
Result<Types> infer(const ConcatAttrs& a, const Types& in) {
  if (in.empty()) return invalid_argument("C1: needs one or more parts");
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size());
  if (axis < 0)
    return invalid_argument("C1: axis " + std::to_string(a.axis) + " is not a dimension of " +
                            to_string(in[0]));
  TensorType out = in[0];
  int64_t& rows = out.shape[static_cast<size_t>(axis)];
  rows = 0;
  for (const TensorType& t : in) {
    TensorType alike = t;
    if (t.rank() == in[0].rank())
      alike.shape[static_cast<size_t>(axis)] = in[0].shape[static_cast<size_t>(axis)];
    if (alike != in[0])
      return invalid_argument("C2: " + to_string(in[0]) + " and " + to_string(t) +
                              " differ in more than the size of axis " + std::to_string(a.axis));
    rows += t.shape[static_cast<size_t>(axis)];
  }
  return Types{out};
}
ShardingRule shard(const ConcatAttrs& a, const Types& in) {
  ShardingRule rule;
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size());
  for (int d = 0; d < in[0].rank(); ++d)
    if (d != axis) rule.factor(std::vector<int>(in.size(), d), {d});
  return rule;
}
Cost cost(const ConcatAttrs& a, const Types& in) { return streaming_cost(in, *infer(a, in), 0); }

// The gradient of an operand is the slice of the result's gradient with the rows of the operand.
GraphValues gradient(GradientBuilder& b, const ConcatAttrs& a, const Differentiated& op) {
  GraphValues parts;
  int64_t start = 0;
  for (const GraphValue part : op.operands) {
    const Shape shape = b.type(part).shape;
    const int64_t axis = axis_from_front(a.axis, shape.size()), length = shape[static_cast<size_t>(axis)];
    parts.push_back(b("slice", {op.gradients[0]}, {{"axis", axis}, {"start", start}, {"length", length}}));
    start += length;
  }
  return parts;
}
}  // namespace cutset::rules::concat
