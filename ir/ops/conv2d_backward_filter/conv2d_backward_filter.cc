// The rules of conv2d_backward_filter: infer, shard and cost (ir/core/op_info.h).
#include "ir/ops/conv2d/conv2d_shape.h"
#include "ir/ops/conv2d_backward_filter/conv2d_backward_filter_rules.h"

namespace cutset::rules::conv2d_backward_filter {

static Result<Conv2dShape> sizes(const Conv2dBackwardFilterAttrs& a, const Types& in) {
  return conv2d_shape(in[1].shape, in[2].shape, a.stride, a.padding, a.dilation, a.groups);
}
Result<Types> infer(const Conv2dBackwardFilterAttrs& a, const Types& in) {
  if (!is_float(in[2].dtype) || in[1].dtype != in[2].dtype)
    return invalid_argument("C1: x is " + to_string(in[1]) + " and like is " + to_string(in[2]) +
                            "; both must have the same floating-point type");
  CUTSET_ASSIGN(Conv2dShape s, sizes(a, in));
  if (in[0] != TensorType{in[2].dtype, {s.n, s.o, s.oh, s.ow}})
    return invalid_argument("C2: the gradient is " + to_string(in[0]) + ", but the result of conv2d is " +
                            to_string({in[2].dtype, {s.n, s.o, s.oh, s.ow}}));
  return Types{in[2]};
}
ShardingRule shard(const Conv2dBackwardFilterAttrs& a, const Types&) {
  return conv2d_rule({{0, 0, kAbsent, kAbsent}, {1, kAbsent, 0, 0}, {kAbsent, 1, 1, 1}}, a.groups == 1);
}
Cost cost(const Conv2dBackwardFilterAttrs& a, const Types& in) {
  return streaming_cost({in[0], in[1]}, {in[2]}, 2.0 * sizes(a, in)->multiply_adds());
}

}  // namespace cutset::rules::conv2d_backward_filter
