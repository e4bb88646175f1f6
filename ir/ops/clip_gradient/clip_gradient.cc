// SPDX-License-Identifier: Apache-2.0
// The rules of clip_gradient and scale_gradient: infer, shard and cost (ir/core/op/op_info.h). Their kernels
// do one operation per element. The operation has one correctly rounded result, so replicas that clip the
// same gradient get the same bits.
#include "ir/core/op/update_rules.h"
#include "ir/ops/clip_gradient/clip_gradient_rules.h"

namespace cutset::rules::clip_gradient {

Result<Types> infer(const ClipGradientAttrs&, const Types& in) {
  if (!is_float(in[0].dtype))
    return invalid_argument("C1: the gradient is " + to_string(in[0]) +
                            "; it must have a floating-point type");
  const DType type = update_type(in[0].dtype);
  if (in[1] != TensorType{type, {}})
    return invalid_argument("C2: the second operand is " + to_string(in[1]) +
                            (type == in[0].dtype
                                 ? "; it must be a scalar of the element type of the gradient, "
                                 : "; beside a gradient of 16-bit floats, it must be a scalar of ") +
                            name_of(type));
  return Types{{type, in[0].shape}};
}
ShardingRule shard(const ClipGradientAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const ClipGradientAttrs&, const Types& in) {
  return streaming_cost(in, {{in[1].dtype, in[0].shape}}, static_cast<double>(in[0].elements()));
}

}  // namespace cutset::rules::clip_gradient
