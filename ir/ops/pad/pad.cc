// SPDX-License-Identifier: Apache-2.0
// The rules of pad and pad_backward: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/core/rows.h"
#include "ir/ops/pad/pad_rows.h"
#include "ir/ops/pad/pad_rules.h"

namespace cutset::rules {
namespace {

constexpr int64_t kMost = int64_t{1} << 48;

// Fails unless the attributes satisfy C1 and C2 for a tensor of this type.
Status check(const Padding& p, const TensorType& x) {
  if (axis_from_front(p.axis, x.shape.size()) < 0)
    return invalid_argument("C1: axis " + std::to_string(p.axis) + " is not a dimension of " + to_string(x));
  if (p.before < 0 || p.after < 0 || p.before > kMost || p.after > kMost)
    return invalid_argument("C2: before is " + std::to_string(p.before) + " and after is " +
                            std::to_string(p.after) + "; both must be from 0 to 2^48");
  return {};
}
// Fails unless the attributes satisfy C3 for an x of `rows` rows.
Status check_rows(const Padding& p, int64_t rows) {
  const int64_t most = std::max(p.before, p.after);
  if (p.mode == CUTSET_PAD_MODE_EDGE && rows == 0 && most > 0)
    return invalid_argument("C3: the mode edge copies rows, and x has none");
  if (p.mode == CUTSET_PAD_MODE_REFLECT && most > 0 && most >= rows)
    return invalid_argument(
        "C3: before is " + std::to_string(p.before) + " and after is " + std::to_string(p.after) +
        "; the mode reflect needs fewer than the rows of x, which are " + std::to_string(rows));
  return {};
}

// Returns one factor per dimension, except the padded dimension.
ShardingRule others(const Padding& p, const TensorType& x) {
  ShardingRule rule;
  const int64_t axis = axis_from_front(p.axis, x.shape.size());
  for (int d = 0; d < x.rank(); ++d)
    if (d != axis) rule.factor({d}, {d});
  return rule;
}

}  // namespace

namespace pad {
Result<Types> infer(const Attrs& a, const Types& in) {
  const Padding p = padding_of(a);
  CUTSET_TRY(check(p, in[0]));
  TensorType out = in[0];
  int64_t& rows = out.shape[static_cast<size_t>(axis_from_front(a.axis, out.shape.size()))];
  CUTSET_TRY(check_rows(p, rows));
  rows += a.before + a.after;
  return Types{out};
}
ShardingRule shard(const Attrs& a, const Types& in) { return others(padding_of(a), in[0]); }
Cost cost(const Attrs& a, const Types& in) { return streaming_cost(in, *infer(a, in), 0); }

GraphValues gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  const Shape x = b.type(op.operands[0]).shape;
  const int64_t axis = axis_from_front(a.axis, x.size());
  if (a.mode != CUTSET_PAD_MODE_CONSTANT) return {b("pad_backward", {op.gradients[0]}, op.attributes)};
  return {b("slice", {op.gradients[0]},
            {{"axis", axis}, {"start", a.before}, {"length", x[static_cast<size_t>(axis)]}})};
}
}  // namespace pad

namespace pad_backward {
Result<Types> infer(const Attrs& a, const Types& in) {
  const Padding p = padding_of(a);
  CUTSET_TRY(check(p, in[0]));
  TensorType out = in[0];
  int64_t& rows = out.shape[static_cast<size_t>(axis_from_front(a.axis, out.shape.size()))];
  if (!is_float(in[0].dtype) || rows < a.before + a.after)
    return invalid_argument("C4: the gradient is " + to_string(in[0]) +
                            "; it must have a floating-point type and at least " +
                            std::to_string(a.before + a.after) + " rows");
  if (a.mode == CUTSET_PAD_MODE_CONSTANT)
    return invalid_argument("C5: the gradient of pad in the mode constant is a slice", "use slice");
  rows -= a.before + a.after;
  CUTSET_TRY(check_rows(p, rows));
  return Types{out};
}
ShardingRule shard(const Attrs& a, const Types& in) { return others(padding_of(a), in[0]); }
Cost cost(const Attrs& a, const Types& in) {
  return streaming_cost(in, *infer(a, in), static_cast<double>(in[0].elements()));
}
// The op is linear, and its gradient is pad.
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  return {b("pad", {op.gradients[0]}, op.attributes)};
}
}  // namespace pad_backward

}  // namespace cutset::rules
