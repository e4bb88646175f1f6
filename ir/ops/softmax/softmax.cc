// SPDX-License-Identifier: Apache-2.0
// The rules of softmax, log_softmax and their backward ops: infer, shard, cost and gradient
// (ir/core/op/op_info.h).
#include "ir/ops/softmax/softmax_lines.h"
#include "ir/ops/softmax/softmax_rules.h"

namespace cutset::rules {
namespace {

constexpr double kFlopsPerElement = 8;  // an estimate for an exponential, a sum and a division

Status check(const TensorType& x, int64_t axis) {
  if (!is_float(x.dtype))
    return invalid_argument(std::string("C1: needs a floating-point type, not ") + name_of(x.dtype),
                            "cast it");
  const auto lines = softmax_lines(x.shape, axis);
  return lines ? Status() : Status(lines.error());
}

// Each dimension can be split except the axis, over which the op normalizes.
ShardingRule rule_of(const TensorType& x, int64_t axis, size_t operands) {
  ShardingRule rule;
  for (int d = 0; d < x.rank(); ++d)
    if (d != (axis < 0 ? axis + x.rank() : axis)) rule.factor(std::vector<int>(operands, d), {d});
  return rule;
}

}  // namespace

namespace softmax {
Result<Types> infer(const SoftmaxAttrs& a, const Types& in) {
  CUTSET_TRY(check(in[0], a.axis));
  return Types{in[0]};
}
ShardingRule shard(const SoftmaxAttrs& a, const Types& in) { return rule_of(in[0], a.axis, 1); }
Cost cost(const SoftmaxAttrs&, const Types& in) {
  return streaming_cost(in, in, kFlopsPerElement * static_cast<double>(in[0].elements()));
}
}  // namespace softmax

namespace softmax_backward {
Result<Types> infer(const SoftmaxBackwardAttrs& a, const Types& in) {
  CUTSET_TRY(check(in[1], a.axis));
  if (in[0] != in[1])
    return invalid_argument("C3: the gradient is " + to_string(in[0]) + ", but y is " + to_string(in[1]));
  return Types{in[1]};
}
ShardingRule shard(const SoftmaxBackwardAttrs& a, const Types& in) { return rule_of(in[1], a.axis, 2); }
Cost cost(const SoftmaxBackwardAttrs&, const Types& in) {
  return streaming_cost(in, {in[1]}, kFlopsPerElement * static_cast<double>(in[1].elements()));
}
}  // namespace softmax_backward

namespace softmax {
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  return {b("softmax_backward", {op.gradients[0], op.results[0]}, op.attributes)};
}
}  // namespace softmax
namespace log_softmax {
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  return {b("log_softmax_backward", {op.gradients[0], op.results[0]}, op.attributes)};
}
}  // namespace log_softmax

}  // namespace cutset::rules
