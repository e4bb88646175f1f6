// SPDX-License-Identifier: Apache-2.0
// The rules of one_hot: infer, shard and cost (ir/core/op/op_info.h).
#include "ir/ops/one_hot/one_hot_rules.h"

namespace cutset::rules::one_hot {

Result<Types> infer(const OneHotAttrs& a, const Types& in) {
  if (in[0].dtype != DType::i32 && in[0].dtype != DType::i64)
    return invalid_argument(std::string("C1: labels are ") + name_of(in[0].dtype) + ", not i32 or i64");
  if (a.depth < 1)
    return invalid_argument("C2: depth is " + std::to_string(a.depth) + "; it must be 1 or more");
  const auto dtype = static_cast<DType>(a.dtype);
  if (!is_float(dtype))
    return invalid_argument(std::string("C3: dtype is ") + name_of(dtype) + ", not a floating-point type");
  Shape shape = in[0].shape;
  shape.push_back(a.depth);
  return Types{{dtype, shape}};
}
ShardingRule shard(const OneHotAttrs&, const Types& in) {
  ShardingRule rule;
  for (int d = 0; d < in[0].rank(); ++d) rule.factor({d}, {d});
  return rule;
}
Cost cost(const OneHotAttrs& a, const Types& in) { return streaming_cost(in, *infer(a, in), 0); }

}  // namespace cutset::rules::one_hot
