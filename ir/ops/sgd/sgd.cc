// The rules of sgd: infer, shard and cost (ir/core/op_info.h). The op is momentum SGD as in Sutskever et al., "On the
// importance of initialization and momentum in deep learning" (ICML 2013), in PyTorch's form: the learning rate scales
// the velocity, not the gradient.
#include "ir/ops/sgd/sgd_rules.h"

namespace cutset::rules::sgd {

Result<Types> infer(const SgdAttrs&, const Types& in) {
  if (!is_float(in[0].dtype) || in[0] != in[1] || in[0] != in[2])
    return invalid_argument("C1: variable " + to_string(in[0]) + ", velocity " + to_string(in[1]) + " and gradient " +
                            to_string(in[2]) + " must have the same floating-point type and shape");
  const TensorType scalar{in[0].dtype, {}};
  if (in[3] != scalar || in[4] != scalar)
    return invalid_argument("C2: learning_rate is " + to_string(in[3]) + " and momentum is " + to_string(in[4]) +
                            "; both must be scalars of the variable's element type " + name_of(in[0].dtype));
  return Types{in[0], in[0]};
}
std::vector<VariableState> states(const SgdAttrs&, const TensorType& variable) { return {{variable}}; }
ShardingRule shard(const SgdAttrs&, const Types& in) { return elementwise_rule(in, in[0], 2); }
Cost cost(const SgdAttrs&, const Types& in) {
  return streaming_cost(in, {in[0], in[0]}, 4 * static_cast<double>(in[0].elements()));
}

}  // namespace cutset::rules::sgd
