// SPDX-License-Identifier: Apache-2.0
// The rules of conv: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/ops/conv/conv_rules.h"
#include "ir/ops/conv/conv_shape.h"

namespace cutset {

Result<ConvShape> conv_shape(std::span<const int64_t> x, std::span<const int64_t> filter,
                             const WindowAttributes& window, int64_t groups) {
  auto text = [](int64_t v) { return std::to_string(v); };
  if (x.size() != filter.size() || x.size() < 3 || x.size() > 5)
    return invalid_argument(
        "C1: x has rank " + text(int64_t(x.size())) + " and filter has rank " + text(int64_t(filter.size())) +
            "; both must have the same rank, from 3 to 5",
        "the first two dimensions of images are the batch and the channels; the first two dimensions of "
        "filters are the output and the input channels");
  ConvShape s{};
  s.rank = x.size() - 2;
  CUTSET_ASSIGN(s.axes, window_axes(s.rank, window));
  s.n = x[0];
  s.c = x[1];
  s.o = filter[0];
  s.cg = filter[1];
  s.groups = groups;
  for (size_t i = 0; i < s.rank; ++i) {
    WindowAxis& axis = s.axes[s.axes.size() - s.rank + i];
    axis.in = x[2 + i];
    axis.kernel = filter[2 + i];
  }
  if (groups < 1 || s.c % groups != 0 || s.c / groups != s.cg || s.o % groups != 0)
    return invalid_argument("C3: " + text(s.c) + " input channels, " + text(groups) +
                                " groups and a filter of " + text(s.o) + " output by " + text(s.cg) +
                                " input channels do not fit together",
                            hint_of_channels(x));
  s.og = s.o / groups;
  const std::string taps = text_of(s.axes, &WindowAxis::kernel, s.rank);
  for (WindowAxis& axis : s.axes) {
    if (axis.kernel < 1) return invalid_argument("C4: a filter of " + taps + " has no elements");
    if (!axis.fits())
      return invalid_argument("C4: a filter of " + taps + " does not fit an image of " +
                                  text_of(s.axes, &WindowAxis::in, s.rank) +
                                  " with this padding and dilation",
                              hint_of_channels(x));
    axis.out = (axis.padded() - axis.extent()) / axis.stride + 1;
  }
  return s;
}

ShardingRule conv_rule(const ConvDims& dims, bool channels) {
  ShardingRule rule;
  auto add = [&](const std::vector<int>& d) {
    std::vector<int> operands(d.begin(), d.end() - 1);
    if (d.back() == kAbsent)
      rule.factor(operands, {kPartial});
    else
      rule.factor(operands, {d.back()});
  };
  add(dims.batch);
  if (channels) {
    add(dims.out_channel);
    add(dims.in_channel);
  }
  return rule;
}

namespace rules::conv {

Result<Types> infer(const ConvAttrs& a, const Types& in) {
  if (!is_float(in[0].dtype) || in[0].dtype != in[1].dtype)
    return invalid_argument("C1: x is " + to_string(in[0]) + " and filter is " + to_string(in[1]) +
                            "; both must have the same floating-point type");
  CUTSET_ASSIGN(const ConvShape s, conv_shape_of(a, in[0].shape, in[1].shape));
  if (in.size() == 3 && (in[2].dtype != in[0].dtype || in[2].shape != Shape{s.o}))
    return invalid_argument("C5: the bias is " + to_string(in[2]) + ", not " +
                            to_string({in[0].dtype, {s.o}}));
  return Types{{in[0].dtype, s.result()}};
}

ShardingRule shard(const ConvAttrs& a, const Types& in) {
  if (in.size() == 3) {
    ShardingRule rule = conv_rule({{0, kAbsent, kAbsent, 0}, {}, {}}, false);
    if (a.groups == 1) rule.factor({kAbsent, 0, 0}, {1});
    return rule;
  }
  return conv_rule({{0, kAbsent, 0}, {kAbsent, 0, 1}, {1, 1, kAbsent}}, a.groups == 1);
}

Cost cost(const ConvAttrs& a, const Types& in) {
  return streaming_cost(in, *infer(a, in), 2.0 * conv_shape_of(a, in[0].shape, in[1].shape)->multiply_adds());
}

GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  const GraphValue g = op.gradients[0], x = op.operands[0], filter = op.operands[1];
  GraphValues gradients = {b("conv_transpose", {g, filter, x}, op.attributes),
                           b("conv_backward_filter", {g, x, filter}, op.attributes)};
  if (op.operands.size() > 2) {
    IntList axes = {0};  // all dimensions except the channels
    for (int64_t d = 2; d < int64_t(b.type(g).shape.size()); ++d) axes.push_back(d);
    gradients.push_back(b("reduce_sum", {g}, {{"axes", axes}}));
  }
  return gradients;
}

}  // namespace rules::conv
}  // namespace cutset
