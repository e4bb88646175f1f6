// SPDX-License-Identifier: Apache-2.0
// The rules of conv_transpose: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/ops/conv/conv_shape.h"
#include "ir/ops/conv_transpose/conv_transpose_rules.h"

namespace cutset::rules::conv_transpose {

// Returns the shape of the result if there is no `like`. Fails with constraint C1 or C2.
static Result<Shape> result_of(const ConvTransposeAttrs& a, const Shape& x, const Shape& filter) {
  if (x.size() != filter.size() || x.size() < 3 || x.size() > 5)
    return invalid_argument("C1: x has rank " + std::to_string(x.size()) + " and filter has rank " +
                            std::to_string(filter.size()) + "; both must have the same rank, from 3 to 5");
  const size_t rank = x.size() - 2;
  CUTSET_ASSIGN(WindowAxes axes, window_axes(rank, {a.stride, a.padding, a.dilation}));
  const cutset_i64s added = a.output_padding;
  bool fits = added.size == 0 || added.size == rank;
  for (size_t i = 0; fits && i < added.size; ++i)
    fits = added.data[i] >= 0 && added.data[i] < axes[axes.size() - rank + i].stride;
  if (!fits)
    return invalid_argument("C3: output_padding must have one number for each of the " +
                            std::to_string(rank) + " axes, from 0 to the stride - 1; it is " +
                            to_string(Shape(added.data, added.data + added.size)));
  constexpr int64_t kMost = int64_t{1} << 40;  // so that the size of the result does not exceed 64 bits
  for (size_t i = 0; i < rank; ++i) {
    WindowAxis& axis = axes[axes.size() - rank + i];
    axis.kernel = filter[2 + i];
    axis.out = x[2 + i];
    if (axis.kernel > kMost || axis.out > kMost)
      return invalid_argument("C4: an axis of " + std::to_string(std::max(axis.kernel, axis.out)) +
                              " elements is too large");
    axis.in = (axis.out - 1) * axis.stride + axis.extent() - axis.before - axis.after +
              (added.size ? added.data[i] : 0);
    if (axis.in < 0)
      return invalid_argument("C4: the padding is larger than the result, of which " +
                              std::to_string(axis.in) + " elements would be left");
  }
  int64_t channels = 0;
  if (a.groups < 1 || __builtin_mul_overflow(filter[1], a.groups, &channels))
    return invalid_argument("C5: groups is " + std::to_string(a.groups) +
                            "; it must be positive, and groups times the " + std::to_string(filter[1]) +
                            " channels of the filter must fit into 64 bits");
  return shape_of({x[0], channels}, axes, &WindowAxis::in, rank);
}

Result<Types> infer(const ConvTransposeAttrs& a, const Types& in) {
  if (!is_float(in[0].dtype) || in[1].dtype != in[0].dtype)
    return invalid_argument("C1: x is " + to_string(in[0]) + " and filter is " + to_string(in[1]) +
                            "; both must have the same floating-point type");
  TensorType y = in.back();
  if (in.size() < 3) {
    y.dtype = in[0].dtype;
    CUTSET_ASSIGN(y.shape, result_of(a, in[0].shape, in[1].shape));
  } else if (a.output_padding.size) {
    return invalid_argument(
        "C3: output_padding must be empty if there is a `like`, which has the shape of the result");
  }
  CUTSET_ASSIGN(const ConvShape s, conv_shape_of(a, y.shape, in[1].shape));
  if (in[0] != TensorType{y.dtype, s.result()})
    return invalid_argument("C5: x is " + to_string(in[0]) + ", but conv of the result has the type " +
                            to_string({y.dtype, s.result()}));
  return Types{y};
}

ShardingRule shard(const ConvTransposeAttrs& a, const Types& in) {
  if (in.size() < 3) return conv_rule({{0, kAbsent, 0}, {1, 0, kAbsent}, {kAbsent, 1, 1}}, a.groups == 1);
  return conv_rule({{0, kAbsent, 0, 0}, {1, 0, kAbsent, kAbsent}, {kAbsent, 1, 1, 1}}, a.groups == 1);
}

Cost cost(const ConvTransposeAttrs& a, const Types& in) {
  const Types y = *infer(a, in);
  return streaming_cost({in[0], in[1]}, y, 2.0 * conv_shape_of(a, y[0].shape, in[1].shape)->multiply_adds());
}

// The op is linear in x and in the filter. Its adjoint for x is conv with the same filter.
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  Attributes of_conv;
  for (const auto& attribute : op.attributes)
    if (attribute.first != "output_padding") of_conv.push_back(attribute);
  const GraphValue g = op.gradients[0], x = op.operands[0], filter = op.operands[1];
  return {b("conv", {g, filter}, of_conv), b("conv_backward_filter", {x, g, filter}, of_conv)};
}

}  // namespace cutset::rules::conv_transpose
