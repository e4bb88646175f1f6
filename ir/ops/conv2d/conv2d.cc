// The rules of conv2d: infer, shard, cost and gradient (ir/core/op_info.h).
#include "ir/ops/conv2d/conv2d_rules.h"
#include "ir/ops/conv2d/conv2d_shape.h"

namespace cutset {

Result<Conv2dShape> conv2d_shape(std::span<const int64_t> x, std::span<const int64_t> filter, cutset_i64s stride,
                                 cutset_i64s padding, cutset_i64s dilation, int64_t groups) {
  auto text = [](int64_t v) { return std::to_string(v); };
  if (x.size() != 4 || filter.size() != 4)
    return invalid_argument("C1: x has rank " + text(int64_t(x.size())) + " and filter has rank " +
                                text(int64_t(filter.size())) + "; both must have rank 4",
                            "images have the layout NCHW, and filters OIHW");
  auto pair = [](cutset_i64s v, int64_t low) {
    return v.size == 2 && v.data[0] >= low && v.data[1] >= low && v.data[0] < (1 << 20) && v.data[1] < (1 << 20);
  };
  auto list = [](cutset_i64s v) { return to_string(Shape(v.data, v.data + v.size)); };
  if (!pair(stride, 1) || !pair(dilation, 1) || !pair(padding, 0) || groups < 1)
    return invalid_argument(
        "C2: stride and dilation must be two positive numbers each, padding must be two numbers that are not negative, "
        "all below 2^20, and groups must be positive; stride is " +
        list(stride) + ", dilation " + list(dilation) + ", padding " + list(padding) + " and groups " + text(groups));
  Conv2dShape s{};
  s.n = x[0], s.c = x[1], s.h = x[2], s.w = x[3];
  s.o = filter[0], s.cg = filter[1], s.kh = filter[2], s.kw = filter[3];
  s.groups = groups;
  if (s.kh < 1 || s.kw < 1)
    return invalid_argument("C4: a filter of " + text(s.kh) + "x" + text(s.kw) + " has no elements");
  if (s.c % groups != 0 || s.c / groups != s.cg || s.o % groups != 0)
    return invalid_argument("C3: " + text(s.c) + " input channels, " + text(groups) + " groups and a filter of " +
                            text(s.o) + " output by " + text(s.cg) + " input channels do not fit together");
  s.og = s.o / groups;
  s.sh = stride.data[0], s.sw = stride.data[1], s.ph = padding.data[0], s.pw = padding.data[1];
  s.dh = dilation.data[0], s.dw = dilation.data[1];
  // The comparison uses a division, because the size of a dilated filter may exceed 64 bits.
  auto fits = [](int64_t kernel, int64_t dilation, int64_t image) {
    return image >= 1 && kernel - 1 <= (image - 1) / dilation;
  };
  if (!fits(s.kh, s.dh, s.h + 2 * s.ph) || !fits(s.kw, s.dw, s.w + 2 * s.pw))
    return invalid_argument("C4: a filter of " + text(s.kh) + "x" + text(s.kw) + " does not fit an image of " +
                            text(s.h) + "x" + text(s.w) + " with this padding and dilation");
  const int64_t eh = s.h + 2 * s.ph - s.dh * (s.kh - 1) - 1, ew = s.w + 2 * s.pw - s.dw * (s.kw - 1) - 1;
  s.oh = eh / s.sh + 1, s.ow = ew / s.sw + 1;
  return s;
}

ShardingRule conv2d_rule(const Conv2dDims& dims, bool channels) {
  ShardingRule rule;
  auto add = [&](const std::vector<int>& d) {
    std::vector<int> operands(d.begin(), d.end() - 1);
    if (d.back() == kAbsent)
      rule.factor(operands, {kPartial});
    else
      rule.factor(operands, {d.back()});
  };
  add(dims.batch);
  if (channels) add(dims.out_channel), add(dims.in_channel);
  return rule;
}

namespace rules::conv2d {

Result<Types> infer(const Conv2dAttrs& a, const Types& in) {
  if (!is_float(in[0].dtype) || in[0].dtype != in[1].dtype)
    return invalid_argument("C1: x is " + to_string(in[0]) + " and filter is " + to_string(in[1]) +
                            "; both must have the same floating-point type");
  CUTSET_ASSIGN(Conv2dShape s, conv2d_shape(in[0].shape, in[1].shape, a.stride, a.padding, a.dilation, a.groups));
  if (in.size() == 3 && (in[2].dtype != in[0].dtype || in[2].shape != Shape{s.o}))
    return invalid_argument("C5: the bias is " + to_string(in[2]) + ", not " + to_string({in[0].dtype, {s.o}}));
  return Types{{in[0].dtype, {s.n, s.o, s.oh, s.ow}}};
}

ShardingRule shard(const Conv2dAttrs& a, const Types& in) {
  if (in.size() == 3) {
    ShardingRule rule = conv2d_rule({{0, kAbsent, kAbsent, 0}, {}, {}}, false);
    if (a.groups == 1) rule.factor({kAbsent, 0, 0}, {1});
    return rule;
  }
  return conv2d_rule({{0, kAbsent, 0}, {kAbsent, 0, 1}, {1, 1, kAbsent}}, a.groups == 1);
}

Cost cost(const Conv2dAttrs& a, const Types& in) {
  auto s = conv2d_shape(in[0].shape, in[1].shape, a.stride, a.padding, a.dilation, a.groups);
  return streaming_cost(in, *infer(a, in), 2.0 * s->multiply_adds());
}

GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  const GraphValue g = op.gradients[0], x = op.operands[0], filter = op.operands[1];
  GraphValues gradients = {b("conv2d_backward_input", {g, filter, x}, op.attributes),
                           b("conv2d_backward_filter", {g, x, filter}, op.attributes)};
  if (op.operands.size() > 2) gradients.push_back(b("reduce_sum", {g}, {{"axes", IntList{0, 2, 3}}}));
  return gradients;
}

}  // namespace rules::conv2d
}  // namespace cutset
