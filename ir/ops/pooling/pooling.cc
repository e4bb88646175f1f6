// SPDX-License-Identifier: Apache-2.0
// The rules of max_pool, its gradient and its indices: infer, shard, cost and gradient
// (ir/core/op/op_info.h).
#include "ir/ops/pooling/pooling_rules.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset {

Result<PoolShape> pool_shape(std::span<const int64_t> x, cutset_i64s kernel, const WindowAttributes& window,
                             bool ceil_mode) {
  if (x.size() < 3 || x.size() > 5)
    return invalid_argument("C1: x has rank " + std::to_string(x.size()) + ", which is not from 3 to 5",
                            "the first two dimensions of images are the batch and the channels");
  PoolShape s{};
  s.rank = x.size() - 2;
  bool fits = kernel.size == s.rank;
  for (size_t i = 0; i < kernel.size; ++i) fits = fits && kernel.data[i] >= 1 && kernel.data[i] < (1 << 20);
  if (!fits)
    return invalid_argument("C2: kernel must have one positive number below 2^20 for each of the " +
                            std::to_string(s.rank) + " axes; kernel is " +
                            to_string(Shape(kernel.data, kernel.data + kernel.size)));
  CUTSET_ASSIGN(s.axes, window_axes(s.rank, window));
  s.n = x[0];
  s.c = x[1];
  for (size_t i = 0; i < s.rank; ++i) {
    WindowAxis& axis = s.axes[s.axes.size() - s.rank + i];
    axis.in = x[2 + i];
    axis.kernel = kernel.data[i];
    if (!window.stride.size) axis.stride = axis.kernel;
  }
  const std::string image = text_of(s.axes, &WindowAxis::in, s.rank);
  for (WindowAxis& axis : s.axes) {
    if (axis.in < 1)
      return invalid_argument("C3: an image of " + image + " has no pixels, so its windows have no result");
    if (std::max(axis.before, axis.after) >= axis.extent())
      return invalid_argument("C3: a window that covers " + std::to_string(axis.extent()) +
                              " elements along an axis does not fit a padding of " +
                              std::to_string(std::max(axis.before, axis.after)));
    if (!axis.fits())
      return invalid_argument("C3: a window of " + text_of(s.axes, &WindowAxis::kernel, s.rank) +
                                  " does not fit an image of " + image + " with this padding and dilation",
                              hint_of_channels(x));
    const int64_t moves = axis.padded() - axis.extent();
    axis.out = moves / axis.stride + 1;
    // A window that begins after the image would have no elements.
    if (ceil_mode && moves % axis.stride && axis.out * axis.stride < axis.in + axis.before) ++axis.out;
  }
  return s;
}

ShardingRule pooling_rule(size_t operands, size_t rank) {
  ShardingRule rule;
  for (int d = 0; d < static_cast<int>(rank); ++d) {
    const std::vector<int> of_operands(operands, d);
    d < 2 ? rule.factor(of_operands, {d}) : rule.window(of_operands, {d});
  }
  return rule;
}

namespace rules {
namespace {

template <class A>
Result<TensorType> pooled(const A& a, const TensorType& x) {
  if (x.dtype == DType::i1)
    return invalid_argument("C1: x is " + to_string(x) + ", but there is no maximum of i1");
  CUTSET_ASSIGN(const PoolShape s, pool_shape_of(a, x.shape));
  return TensorType{x.dtype, s.result()};
}
template <class A>
double comparisons(const A& a, const TensorType& x) {
  const PoolShape s = *pool_shape_of(a, x.shape);
  return static_cast<double>(s.planes() * s.out()) * static_cast<double>(s.taps());
}
}  // namespace

namespace pooling {
Result<Types> infer(const PoolingAttrs& a, const Types& in) {
  CUTSET_ASSIGN(TensorType y, pooled(a, in[0]));
  return Types{y};
}
ShardingRule shard(const PoolingAttrs&, const Types& in) { return pooling_rule(1, in[0].shape.size()); }
Cost cost(const PoolingAttrs& a, const Types& in) {
  return streaming_cost(in, *infer(a, in), comparisons(a, in[0]));
}
}  // namespace pooling

namespace pooling_indices {
Result<Types> infer(const PoolingIndicesAttrs& a, const Types& in) {
  CUTSET_ASSIGN(const TensorType y, pooled(a, in[0]));
  return Types{{DType::i64, y.shape}};
}
ShardingRule shard(const PoolingIndicesAttrs&, const Types& in) {
  return pooling_rule(1, in[0].shape.size());
}
Cost cost(const PoolingIndicesAttrs& a, const Types& in) {
  return streaming_cost(in, *infer(a, in), comparisons(a, in[0]));
}
}  // namespace pooling_indices

namespace pooling_backward {
Result<Types> infer(const PoolingBackwardAttrs& a, const Types& in) {
  if (!is_float(in[1].dtype))
    return invalid_argument(std::string("C1: needs a floating-point type, not ") + name_of(in[1].dtype));
  CUTSET_ASSIGN(const TensorType y, pooled(a, in[1]));
  if (in[0] != y)
    return invalid_argument("C4: the gradient is " + to_string(in[0]) + ", but the result of max_pool is " +
                            to_string(y));
  return Types{in[1]};
}
ShardingRule shard(const PoolingBackwardAttrs&, const Types& in) {
  return pooling_rule(2, in[0].shape.size());
}
Cost cost(const PoolingBackwardAttrs& a, const Types& in) {
  return streaming_cost(in, {in[1]}, comparisons(a, in[1]));
}
}  // namespace pooling_backward

namespace max_pool {
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  return {b("max_pool_backward", {op.gradients[0], op.operands[0]}, op.attributes)};
}
}  // namespace max_pool
}  // namespace rules
}  // namespace cutset
