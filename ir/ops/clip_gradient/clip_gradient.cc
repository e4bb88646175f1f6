// The rules of clip_gradient and scale_gradient: infer, shard and cost (ir/core/op_info.h). Their kernels do one operation per
// element, which has one correctly rounded result, so that replicas that clip the same gradient keep the same bits.
#include "ir/ops/clip_gradient/clip_gradient_rules.h"

namespace cutset::rules::clip_gradient {

Result<Types> infer(const ClipGradientAttrs&, const Types& in) {
  if (!is_float(in[0].dtype))
    return invalid_argument("C1: the gradient is " + to_string(in[0]) + "; it must have a floating-point type");
  if (in[1] != TensorType{in[0].dtype, {}})
    return invalid_argument("C2: the second operand is " + to_string(in[1]) +
                            "; it must be a scalar of the element type of the gradient, " + name_of(in[0].dtype));
  return Types{in[0]};
}
ShardingRule shard(const ClipGradientAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const ClipGradientAttrs&, const Types& in) {
  return streaming_cost(in, {in[0]}, static_cast<double>(in[0].elements()));
}

}  // namespace cutset::rules::clip_gradient
