// SPDX-License-Identifier: Apache-2.0
// The rules of the random ops: infer, shard and cost (ir/core/op/op_info.h). An element depends on its index
// in the whole tensor. The attribute first_element is the index of the first element of a shard, so the
// elements of a shard must be contiguous in the whole tensor. So only the first dimension can be split.
#include <cmath>

#include "ir/ops/random/random_rules.h"

namespace cutset::rules {
namespace {
// `a` and `b` are the parameters of the distribution. `ordered`: whether they satisfy the constraint of the
// op, such as low <= high.
Result<Types> like(const Types& in, double a, double b, bool ordered, int64_t first_element) {
  if (!is_float(in[0].dtype))
    return invalid_argument(std::string("C1: needs a floating-point type, not ") + name_of(in[0].dtype));
  if (!std::isfinite(a) || !std::isfinite(b) || !ordered)
    return invalid_argument(
        "C2: parameters " + std::to_string(a) + " and " + std::to_string(b) +
        " do not describe a distribution: they must be finite, with low <= high or stddev >= 0");
  if (in[1] != TensorType{DType::i64, {}})
    return invalid_argument("C3: the step is " + to_string(in[1]) + "; it must be an i64 scalar");
  if (first_element < 0)
    return invalid_argument("C4: first_element is " + std::to_string(first_element) +
                            "; it must not be negative");
  return Types{in[0]};
}
ShardingRule rows(const Types& in) {
  ShardingRule rule;
  if (in[0].rank() > 0) rule.factor({0, kAbsent}, {0});
  return rule;
}
constexpr double kFlopsPerElement = 40;  // ten rounds of Philox over four words
Cost draw(const Types& in) {
  return streaming_cost({}, {in[0]}, kFlopsPerElement * static_cast<double>(in[0].elements()));
}
}  // namespace

namespace random_uniform {
Result<Types> infer(const RandomUniformAttrs& a, const Types& in) {
  return like(in, a.low, a.high, a.low <= a.high, a.first_element);
}
ShardingRule shard(const RandomUniformAttrs&, const Types& in) { return rows(in); }
Cost cost(const RandomUniformAttrs&, const Types& in) { return draw(in); }
}  // namespace random_uniform

namespace random_normal {
Result<Types> infer(const RandomNormalAttrs& a, const Types& in) {
  return like(in, a.mean, a.stddev, a.stddev >= 0, a.first_element);
}
ShardingRule shard(const RandomNormalAttrs&, const Types& in) { return rows(in); }
Cost cost(const RandomNormalAttrs&, const Types& in) { return draw(in); }
}  // namespace random_normal

}  // namespace cutset::rules
