// The rules of max_pool2d and its gradient: infer, shard, cost and gradient (ir/core/op_info.h).
#include "ir/ops/pooling/pooling_rules.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset {

Result<PoolShape> pool_shape(std::span<const int64_t> x, cutset_i64s kernel, cutset_i64s stride, cutset_i64s padding) {
  if (x.size() != 4) return invalid_argument("C1: x has rank " + std::to_string(x.size()) + ", not 4");
  auto pair = [](cutset_i64s v, int64_t low) {
    return v.size == 2 && v.data[0] >= low && v.data[1] >= low && v.data[0] < (1 << 20) && v.data[1] < (1 << 20);
  };
  auto list = [](cutset_i64s v) { return to_string(Shape(v.data, v.data + v.size)); };
  if (!pair(kernel, 1) || !pair(stride, 1) || !pair(padding, 0) || padding.data[0] * 2 > kernel.data[0] ||
      padding.data[1] * 2 > kernel.data[1])
    return invalid_argument(
        "C2: kernel and stride must be two positive numbers each, below 2^20, and padding two numbers, at most half of "
        "the "
        "kernel; kernel is " +
        list(kernel) + ", stride " + list(stride) + " and padding " + list(padding));
  PoolShape s{
      x[0] * x[1],     x[2],           x[3], 0, 0, kernel.data[0], kernel.data[1], stride.data[0], stride.data[1],
      padding.data[0], padding.data[1]};
  if (s.h < 1 || s.w < 1)
    return invalid_argument("C3: an image of " + std::to_string(s.h) + "x" + std::to_string(s.w) +
                            " has no pixels, so its windows have no maximum");
  if (s.h + 2 * s.ph < s.kh || s.w + 2 * s.pw < s.kw)
    return invalid_argument("C3: a window of " + std::to_string(s.kh) + "x" + std::to_string(s.kw) +
                            " does not fit an image of " + std::to_string(s.h) + "x" + std::to_string(s.w));
  s.oh = (s.h + 2 * s.ph - s.kh) / s.sh + 1, s.ow = (s.w + 2 * s.pw - s.kw) / s.sw + 1;
  return s;
}

namespace rules {
static Result<TensorType> pooled(const TensorType& x, cutset_i64s kernel, cutset_i64s stride, cutset_i64s padding) {
  if (!is_float(x.dtype))
    return invalid_argument(std::string("C1: needs a floating-point type, not ") + name_of(x.dtype));
  CUTSET_ASSIGN(PoolShape s, pool_shape(x.shape, kernel, stride, padding));
  return TensorType{x.dtype, {x.shape[0], x.shape[1], s.oh, s.ow}};
}
static double comparisons(const TensorType& result, cutset_i64s kernel) {
  return static_cast<double>(result.elements()) * static_cast<double>(kernel.data[0] * kernel.data[1]);
}

namespace pooling {
Result<Types> infer(const PoolingAttrs& a, const Types& in) {
  CUTSET_ASSIGN(TensorType y, pooled(in[0], a.kernel, a.stride, a.padding));
  return Types{y};
}
ShardingRule shard(const PoolingAttrs&, const Types&) {
  return ShardingRule().factor({0}, {0}).factor({1}, {1}).window({2}, {2}).window({3}, {3});
}
Cost cost(const PoolingAttrs& a, const Types& in) {
  auto out = *infer(a, in);
  return streaming_cost(in, out, comparisons(out[0], a.kernel));
}
}  // namespace pooling

namespace pooling_backward {
Result<Types> infer(const PoolingBackwardAttrs& a, const Types& in) {
  CUTSET_ASSIGN(TensorType y, pooled(in[1], a.kernel, a.stride, a.padding));
  if (in[0] != y)
    return invalid_argument("C4: the gradient is " + to_string(in[0]) + ", but the result of max_pool2d is " +
                            to_string(y));
  return Types{in[1]};
}
ShardingRule shard(const PoolingBackwardAttrs&, const Types&) {
  return ShardingRule().factor({0, 0}, {0}).factor({1, 1}, {1}).window({2, 2}, {2}).window({3, 3}, {3});
}
Cost cost(const PoolingBackwardAttrs& a, const Types& in) {
  return streaming_cost(in, {in[1]}, comparisons(in[0], a.kernel));
}
}  // namespace pooling_backward

namespace max_pool2d {
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  return {b("max_pool2d_backward", {op.gradients[0], op.operands[0]}, op.attributes)};
}
}  // namespace max_pool2d
}  // namespace rules
}  // namespace cutset
