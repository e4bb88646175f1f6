// SPDX-License-Identifier: Apache-2.0
// The rules of conv_backward_filter: infer, shard and cost (ir/core/op/op_info.h).
#include "ir/ops/conv/conv_shape.h"
#include "ir/ops/conv_backward_filter/conv_backward_filter_rules.h"

namespace cutset::rules::conv_backward_filter {

static Result<ConvShape> sizes(const ConvBackwardFilterAttrs& a, const Types& in) {
  return conv_shape_of(a, in[1].shape, in[2].shape);
}
Result<Types> infer(const ConvBackwardFilterAttrs& a, const Types& in) {
  if (!is_float(in[2].dtype) || in[1].dtype != in[2].dtype)
    return invalid_argument("C1: x is " + to_string(in[1]) + " and like is " + to_string(in[2]) +
                            "; both must have the same floating-point type");
  CUTSET_ASSIGN(ConvShape s, sizes(a, in));
  if (in[0] != TensorType{in[2].dtype, s.result()})
    return invalid_argument("C2: the gradient is " + to_string(in[0]) + ", but the result of conv is " +
                            to_string({in[2].dtype, s.result()}));
  return Types{in[2]};
}
ShardingRule shard(const ConvBackwardFilterAttrs& a, const Types&) {
  return conv_rule({{0, 0, kAbsent, kAbsent}, {1, kAbsent, 0, 0}, {kAbsent, 1, 1, 1}}, a.groups == 1);
}
Cost cost(const ConvBackwardFilterAttrs& a, const Types& in) {
  return streaming_cost({in[0], in[1]}, {in[2]}, 2.0 * sizes(a, in)->multiply_adds());
}

}  // namespace cutset::rules::conv_backward_filter
