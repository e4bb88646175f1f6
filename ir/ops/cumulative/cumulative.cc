// SPDX-License-Identifier: Apache-2.0
// The rules of cumsum, cumprod and cumprod_backward: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/core/rows.h"
#include "ir/ops/cumulative/cumulative_rules.h"

namespace cutset::rules {
namespace {

Status check_axis(const TensorType& x, int64_t axis) {
  if (axis_from_front(axis, x.shape.size()) >= 0) return {};
  return invalid_argument("C2: axis " + std::to_string(axis) + " is not a dimension of " + to_string(x));
}

// Each dimension except the axis can be split.
ShardingRule rule_of(const TensorType& x, int64_t axis, size_t operands) {
  ShardingRule rule;
  for (int d = 0; d < x.rank(); ++d)
    if (d != axis_from_front(axis, x.shape.size())) rule.factor(std::vector<int>(operands, d), {d});
  return rule;
}

}  // namespace

namespace cumulative {
Result<Types> infer(const CumulativeAttrs& a, const Types& in) {
  if (in[0].dtype == DType::i1) return invalid_argument("C1: needs a numeric type, not i1", "cast it");
  CUTSET_TRY(check_axis(in[0], a.axis));
  return Types{in[0]};
}
ShardingRule shard(const CumulativeAttrs& a, const Types& in) { return rule_of(in[0], a.axis, 1); }
Cost cost(const CumulativeAttrs&, const Types& in) {
  return streaming_cost(in, in, static_cast<double>(in[0].elements()));
}
}  // namespace cumulative

// An element is a term of each sum after it.
GraphValues cumsum::gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  return {b("cumsum", {op.gradients[0]},
            {{"axis", a.axis}, {"exclusive", a.exclusive != 0}, {"reverse", a.reverse == 0}})};
}
GraphValues cumprod::gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  return {b("cumprod_backward", {op.gradients[0], op.operands[0]}, op.attributes)};
}

namespace cumprod_backward {
Result<Types> infer(const Attrs& a, const Types& in) {
  if (!is_float(in[1].dtype))
    return invalid_argument(std::string("C1: x needs a floating-point type, not ") + name_of(in[1].dtype),
                            "cast it");
  CUTSET_TRY(check_axis(in[1], a.axis));
  if (in[0] != in[1])
    return invalid_argument("C3: the gradient is " + to_string(in[0]) + ", but x is " + to_string(in[1]));
  return Types{in[1]};
}
ShardingRule shard(const Attrs& a, const Types& in) { return rule_of(in[1], a.axis, 2); }
Cost cost(const Attrs&, const Types& in) {
  return streaming_cost(in, {in[1]}, 4 * static_cast<double>(in[1].elements()));
}
}  // namespace cumprod_backward

}  // namespace cutset::rules
