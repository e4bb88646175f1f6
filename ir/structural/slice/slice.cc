// SPDX-License-Identifier: Apache-2.0
// The rules of slice: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/core/rows.h"
#include "ir/structural/slice/slice_rules.h"
#include "ir/structural/slice/slice_shape.h"

namespace cutset {

Result<SliceShape> slice_shape(std::span<const int64_t> x, int64_t axis, int64_t start, int64_t length) {
  const std::string text = to_string(Shape(x.begin(), x.end()));
  const int64_t at = axis_from_front(axis, x.size());
  if (at < 0) return invalid_argument("C1: axis " + std::to_string(axis) + " is not a dimension of " + text);
  SliceShape s{at, start, length, x[static_cast<size_t>(at)]};
  if (start < 0 || start > s.all || length < -1 || length > s.all - start)
    return invalid_argument("C2: start " + std::to_string(start) + " and length " + std::to_string(length) +
                            " are out of range for axis " + std::to_string(axis) + " of " + text +
                            ", which has " + std::to_string(s.all) + " rows");
  if (length < 0) s.length = s.all - start;
  return s;
}

namespace rules::slice {
Result<Types> infer(const SliceAttrs& a, const Types& in) {
  CUTSET_ASSIGN(const SliceShape s, slice_shape(in[0].shape, a.axis, a.start, a.length));
  if (a.rows_per_sample < 0)
    return invalid_argument("C3: rows_per_sample is " + std::to_string(a.rows_per_sample) +
                            ", which is negative");
  TensorType out = in[0];
  out.shape[static_cast<size_t>(s.axis)] = s.length;
  return Types{out};
}
ShardingRule shard(const SliceAttrs& a, const Types& in) {
  ShardingRule rule;
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size());
  for (int d = 0; d < in[0].rank(); ++d)
    if (d != axis) rule.factor({d}, {d});
  return rule;
}
Cost cost(const SliceAttrs& a, const Types& in) {
  const Types out = *infer(a, in);
  return streaming_cost(out, out, 0);
}

// The gradient of the rows that the slice leaves out is 0.
GraphValues gradient(GradientBuilder& b, const SliceAttrs& a, const Differentiated& op) {
  const SliceShape s = *slice_shape(b.type(op.operands[0]).shape, a.axis, a.start, a.length);
  return {b("pad", {op.gradients[0]},
            {{"axis", s.axis}, {"before", s.start}, {"after", s.all - s.start - s.length}})};
}
}  // namespace rules::slice
}  // namespace cutset
