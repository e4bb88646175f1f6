// The rules of batch_norm, its backward op and sum_squared_deviations: infer, shard and cost (ir/core/op_info.h).
#include <cmath>

#include "ir/ops/batch_norm/batch_norm_rules.h"

namespace cutset::rules {
namespace {

constexpr double kFlopsPerElement = 4;  // a difference, two products and a sum

// Returns the type of a value per channel.
Result<TensorType> per_channel(const TensorType& x) {
  if (!is_float(x.dtype) || x.rank() < 2)
    return invalid_argument("C1: x is " + to_string(x) + "; it must have rank 2 or more and a floating-point type");
  return TensorType{x.dtype, {x.shape[1]}};
}
Status require(const char* what, const TensorType& type, const TensorType& wanted) {
  if (type == wanted) return {};
  return invalid_argument(std::string("C2: the ") + what + " is " + to_string(type) + ", not " + to_string(wanted));
}
Status check_epsilon(double epsilon) {
  if (epsilon >= 0 && std::isfinite(epsilon)) return {};
  return invalid_argument("C3: epsilon is " + std::to_string(epsilon) +
                          "; it must be a finite number that is not negative");
}

// The first `tensors` operands have the shape of x, and the others have one element per channel. If `sums` is set, the
// result has one element per channel, too, so the other dimensions give partial sums.
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
  if (in[0] != in[1]) return invalid_argument("C4: the gradient is " + to_string(in[0]) + ", not " + to_string(in[1]));
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

}  // namespace cutset::rules
