// SPDX-License-Identifier: Apache-2.0
// The rules of layer_norm and its backward ops: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/ops/layer_norm/layer_norm_rows.h"
#include "ir/ops/layer_norm/layer_norm_rules.h"

namespace cutset {

Result<LayerNormRows> layer_norm_rows(std::span<const int64_t> shape, int64_t axis) {
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank)
    return invalid_argument("C2: axis " + std::to_string(axis) + " is not a dimension of " +
                            to_string(Shape(shape.begin(), shape.end())));
  LayerNormRows rows{static_cast<int>(at)};
  for (int64_t d = 0; d < rank; ++d) (d < at ? rows.count : rows.width) *= shape[static_cast<size_t>(d)];
  return rows;
}

namespace rules {
namespace {

constexpr double kFlopsPerElement = 8;  // an estimate for two passes of statistics and one that normalizes

// Returns the type of the scale.
Result<TensorType> check(const TensorType& x, int64_t axis, double epsilon) {
  if (!is_float(x.dtype))
    return invalid_argument(std::string("C1: needs a floating-point type, not ") + name_of(x.dtype),
                            "cast it");
  CUTSET_ASSIGN(const LayerNormRows rows, layer_norm_rows(x.shape, axis));
  if (!(epsilon >= 0) || !std::isfinite(epsilon))
    return invalid_argument("C4: epsilon is " + std::to_string(epsilon) +
                            "; it must be a finite number that is not negative");
  return TensorType{x.dtype, Shape(x.shape.begin() + rows.axis, x.shape.end())};
}
Status require(const char* constraint, const char* what, const TensorType& type, const TensorType& wanted) {
  if (type == wanted) return {};
  return invalid_argument(std::string(constraint) + ": the " + what + " is " + to_string(type) + ", not " +
                          to_string(wanted));
}

// The rows can be split, but not the dimensions over which the op normalizes. The first `row_wise` operands
// have the rows.
ShardingRule rule_of(const TensorType& x, int64_t axis, size_t row_wise, size_t operands, bool sums) {
  ShardingRule rule;
  for (int d = 0; d < layer_norm_rows(x.shape, axis)->axis; ++d) {
    std::vector<int> in(operands, kAbsent);
    std::fill_n(in.begin(), row_wise, d);
    rule.factor(std::move(in), {sums ? kPartial : d});
  }
  return rule;
}

}  // namespace

namespace layer_norm {
Result<Types> infer(const LayerNormAttrs& a, const Types& in) {
  CUTSET_ASSIGN(const TensorType scale, check(in[0], a.axis, a.epsilon));
  CUTSET_TRY(require("C3", "scale", in[1], scale));
  if (in.size() > 2) CUTSET_TRY(require("C3", "bias", in[2], scale));
  return Types{in[0]};
}
ShardingRule shard(const LayerNormAttrs& a, const Types& in) {
  return rule_of(in[0], a.axis, 1, in.size(), false);
}
Cost cost(const LayerNormAttrs&, const Types& in) {
  return streaming_cost(in, {in[0]}, kFlopsPerElement * static_cast<double>(in[0].elements()));
}
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  const GraphValue g = op.gradients[0], x = op.operands[0], scale = op.operands[1];
  GraphValues gradients = {b("layer_norm_backward_input", {g, x, scale}, op.attributes),
                           b("layer_norm_backward_scale", {g, x}, op.attributes)};
  if (op.operands.size() > 2) gradients.push_back(b.sum_to_size(g, op.operands[2]));
  return gradients;
}
}  // namespace layer_norm

namespace layer_norm_backward_input {
Result<Types> infer(const LayerNormBackwardInputAttrs& a, const Types& in) {
  CUTSET_ASSIGN(const TensorType scale, check(in[1], a.axis, a.epsilon));
  CUTSET_TRY(require("C3", "scale", in[2], scale));
  CUTSET_TRY(require("C5", "gradient", in[0], in[1]));
  return Types{in[1]};
}
ShardingRule shard(const LayerNormBackwardInputAttrs& a, const Types& in) {
  return rule_of(in[1], a.axis, 2, 3, false);
}
Cost cost(const LayerNormBackwardInputAttrs&, const Types& in) {
  return streaming_cost(in, {in[1]}, 2 * kFlopsPerElement * static_cast<double>(in[1].elements()));
}
}  // namespace layer_norm_backward_input

namespace layer_norm_backward_scale {
Result<Types> infer(const LayerNormBackwardScaleAttrs& a, const Types& in) {
  CUTSET_ASSIGN(const TensorType scale, check(in[1], a.axis, a.epsilon));
  CUTSET_TRY(require("C5", "gradient", in[0], in[1]));
  return Types{scale};
}
ShardingRule shard(const LayerNormBackwardScaleAttrs& a, const Types& in) {
  return rule_of(in[1], a.axis, 2, 2, true);
}
Cost cost(const LayerNormBackwardScaleAttrs& a, const Types& in) {
  return streaming_cost(in, *infer(a, in), kFlopsPerElement * static_cast<double>(in[1].elements()));
}
}  // namespace layer_norm_backward_scale

}  // namespace rules
}  // namespace cutset
