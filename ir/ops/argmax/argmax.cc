// SPDX-License-Identifier: Apache-2.0
// The rules of argmax and argmin: infer, shard and cost (ir/core/op/op_info.h).
#include "ir/ops/argmax/argmax_rules.h"

namespace cutset::rules::argmax {

Result<Types> infer(const ArgmaxAttrs& a, const Types& in) {
  const int64_t axis = a.axis < 0 ? a.axis + in[0].rank() : a.axis;
  if (axis < 0 || axis >= in[0].rank() || in[0].shape[size_t(axis)] == 0)
    return invalid_argument("C1: axis " + std::to_string(a.axis) + " of " + to_string(in[0].shape) +
                            " is not a dimension, or has size 0");
  Shape shape = in[0].shape;
  shape.erase(shape.begin() + axis);
  return Types{{DType::i64, shape}};
}
ShardingRule shard(const ArgmaxAttrs& a, const Types& in) {
  ShardingRule rule;
  const int axis = static_cast<int>(a.axis < 0 ? a.axis + in[0].rank() : a.axis);
  for (int d = 0, to = 0; d < in[0].rank(); ++d)
    if (d != axis) rule.factor({d}, {to++});
  return rule;
}
Cost cost(const ArgmaxAttrs& a, const Types& in) {
  return streaming_cost(in, *infer(a, in), static_cast<double>(in[0].elements()));
}

}  // namespace cutset::rules::argmax
