// SPDX-License-Identifier: Apache-2.0
// The rules of avg_pool and its gradient: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/ops/avg_pool/avg_pool_rules.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::rules {
namespace {

template <class A>
Result<TensorType> pooled(const A& a, const TensorType& x) {
  if (!is_float(x.dtype))
    return invalid_argument(std::string("C1: needs a floating-point type, not ") + name_of(x.dtype));
  CUTSET_ASSIGN(const PoolShape s, pool_shape_of(a, x.shape));
  if (a.divisor_override < 0)
    return invalid_argument("C4: divisor_override is " + std::to_string(a.divisor_override) +
                            ", which is negative");
  return TensorType{x.dtype, s.result()};
}
template <class A>
double additions(const A& a, const TensorType& x) {
  const PoolShape s = *pool_shape_of(a, x.shape);
  return static_cast<double>(s.planes() * s.out()) * static_cast<double>(s.taps());
}

}  // namespace

namespace avg_pool {
Result<Types> infer(const AvgPoolAttrs& a, const Types& in) {
  CUTSET_ASSIGN(TensorType y, pooled(a, in[0]));
  return Types{y};
}
ShardingRule shard(const AvgPoolAttrs&, const Types& in) { return pooling_rule(1, in[0].shape.size()); }
Cost cost(const AvgPoolAttrs& a, const Types& in) {
  return streaming_cost(in, *infer(a, in), additions(a, in[0]));
}
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  return {b("avg_pool_backward", {op.gradients[0], op.operands[0]}, op.attributes)};
}
}  // namespace avg_pool

namespace avg_pool_backward {
Result<Types> infer(const AvgPoolBackwardAttrs& a, const Types& in) {
  CUTSET_ASSIGN(const TensorType y, pooled(a, in[1]));
  if (in[0] != y)
    return invalid_argument("C5: the gradient is " + to_string(in[0]) + ", but the result of avg_pool is " +
                            to_string(y));
  return Types{in[1]};
}
ShardingRule shard(const AvgPoolBackwardAttrs&, const Types& in) {
  return pooling_rule(2, in[0].shape.size());
}
Cost cost(const AvgPoolBackwardAttrs& a, const Types& in) {
  return streaming_cost({in[0]}, {in[1]}, additions(a, in[1]));
}
}  // namespace avg_pool_backward

}  // namespace cutset::rules
