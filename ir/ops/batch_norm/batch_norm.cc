// SPDX-License-Identifier: Apache-2.0
// The rules of batch_norm, its backward op and sum_squared_deviations: infer, shard, cost and gradient
// (ir/core/op/op_info.h).
#include <cmath>

#include "ir/ops/batch_norm/batch_norm_rules.h"

namespace cutset::rules {
namespace {

constexpr double kFlopsPerElement = 4;  // a difference, two products and a sum

// Returns the type of a tensor with one element per channel.
Result<TensorType> per_channel(const TensorType& x) {
  if (!is_float(x.dtype) || x.rank() < 2)
    return invalid_argument("C1: x is " + to_string(x) +
                            "; it must have rank 2 or more and a floating-point type");
  return TensorType{x.dtype, {x.shape[1]}};
}
Status require(const char* what, const TensorType& type, const TensorType& wanted) {
  if (type == wanted) return {};
  return invalid_argument(std::string("C2: the ") + what + " is " + to_string(type) + ", not " +
                          to_string(wanted));
}
Status check_epsilon(double epsilon) {
  if (epsilon >= 0 && std::isfinite(epsilon)) return {};
  return invalid_argument("C3: epsilon is " + std::to_string(epsilon) +
                          "; it must be a finite number that is not negative");
}

// Returns the rule of an op. The first `tensors` operands have the shape of x, and the others have one
// element per channel. If `sums` is set, the result also has one element per channel, so the other dimensions
// give partial sums.
ShardingRule rule_of(const TensorType& x, size_t tensors, size_t operands, bool sums) {
  ShardingRule rule;
  for (int d = 0; d < x.rank(); ++d) {
    std::vector<int> in(operands, d == 1 ? 0 : kAbsent);
    for (size_t i = 0; i < tensors; ++i) in[i] = d;
    rule.factor(std::move(in), {!sums ? d : d == 1 ? 0 : kPartial});
  }
  return rule;
}

}  // namespace

namespace batch_norm {
Result<Types> infer(const BatchNormAttrs& a, const Types& in) {
  CUTSET_ASSIGN(const TensorType channel, per_channel(in[0]));
  const char* const names[] = {"scale", "bias", "mean", "variance"};
  for (size_t i = 0; i < 4; ++i) CUTSET_TRY(require(names[i], in[i + 1], channel));
  CUTSET_TRY(check_epsilon(a.epsilon));
  return Types{in[0]};
}
ShardingRule shard(const BatchNormAttrs&, const Types& in) { return rule_of(in[0], 1, 5, false); }
Cost cost(const BatchNormAttrs&, const Types& in) {
  return streaming_cost(in, {in[0]}, kFlopsPerElement * static_cast<double>(in[0].elements()));
}
}  // namespace batch_norm

namespace batch_norm_backward_scale {
Result<Types> infer(const BatchNormBackwardScaleAttrs& a, const Types& in) {
  CUTSET_ASSIGN(const TensorType channel, per_channel(in[1]));
  CUTSET_TRY(require("mean", in[2], channel));
  CUTSET_TRY(require("variance", in[3], channel));
  CUTSET_TRY(check_epsilon(a.epsilon));
  if (in[0] != in[1])
    return invalid_argument("C4: the gradient is " + to_string(in[0]) + ", not " + to_string(in[1]));
  return Types{channel};
}
ShardingRule shard(const BatchNormBackwardScaleAttrs&, const Types& in) { return rule_of(in[1], 2, 4, true); }
Cost cost(const BatchNormBackwardScaleAttrs& a, const Types& in) {
  return streaming_cost(in, *infer(a, in), kFlopsPerElement * static_cast<double>(in[1].elements()));
}
}  // namespace batch_norm_backward_scale

namespace sum_squared_deviations {
Result<Types> infer(const SumSquaredDeviationsAttrs&, const Types& in) {
  CUTSET_ASSIGN(const TensorType channel, per_channel(in[0]));
  CUTSET_TRY(require("mean", in[1], channel));
  return Types{channel};
}
ShardingRule shard(const SumSquaredDeviationsAttrs&, const Types& in) { return rule_of(in[0], 1, 2, true); }
Cost cost(const SumSquaredDeviationsAttrs& a, const Types& in) {
  return streaming_cost(in, *infer(a, in), 3 * static_cast<double>(in[0].elements()));
}
}  // namespace sum_squared_deviations

// The gradients.
namespace {

// Sums v over all dimensions except the channel.
GraphValue sum_channels(GradientBuilder& b, GraphValue v) {
  IntList axes;
  for (int64_t d = 0; d < b.type(v).rank(); ++d)
    if (d != 1) axes.push_back(d);
  return b("reduce_sum", {v}, {{"axes", axes}});
}

// Computes (x - mean) * factor, where mean and factor have one element per channel. This is batch_norm with
// the variance 1 and without a bias.
GraphValue scaled(GradientBuilder& b, GraphValue x, GraphValue mean, GraphValue factor) {
  const GraphValue zeros = b("full_like", {mean}, {{"value", 0.0}}),
                   ones = b("full_like", {mean}, {{"value", 1.0}});
  return b("batch_norm", {x, factor, zeros, mean, ones}, {{"epsilon", 0.0}});
}

}  // namespace

// With r = 1 / sqrt(variance + epsilon), the gradient for the variance is -r / 2 * scale * r times the
// gradient for the scale, which contains a third r.
GraphValues batch_norm::gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  const GraphValue g = op.gradients[0], x = op.operands[0], scale = op.operands[1], mean = op.operands[3],
                   variance = op.operands[4];
  const DType type = b.type(g).dtype;
  const GraphValue r =
      b("div", {b.constant(type, 1), b("sqrt", {b("add", {variance, b.constant(type, a.epsilon)})})});
  const GraphValue factor = b("mul", {scale, r});
  const GraphValue zeros = b("full_like", {mean}, {{"value", 0.0}});
  const GraphValue for_scale = b("batch_norm_backward_scale", {g, x, mean, variance}, op.attributes),
                   for_bias = sum_channels(b, g);
  return {scaled(b, g, zeros, factor), for_scale, for_bias, b("neg", {b("mul", {for_bias, factor})}),
          b("mul", {b("mul", {for_scale, factor}), b("mul", {r, b.constant(type, -0.5)})})};
}

GraphValues sum_squared_deviations::gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  const GraphValue g = op.gradients[0], x = op.operands[0], mean = op.operands[1];
  const GraphValue for_x = scaled(b, x, mean, b("mul", {g, b.constant(b.type(x).dtype, 2)}));
  return {for_x, b("neg", {sum_channels(b, for_x)})};
}

}  // namespace cutset::rules
