// SPDX-License-Identifier: Apache-2.0
// The rules of top_k: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include <cmath>

#include "ir/core/rows.h"
#include "ir/ops/top_k/top_k_rules.h"

namespace cutset::rules::top_k {

Result<Types> infer(const Attrs& a, const Types& in) {
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size());
  if (axis < 0)
    return invalid_argument("C1: axis " + std::to_string(a.axis) + " is not a dimension of " +
                            to_string(in[0]));
  TensorType out = in[0];
  int64_t& size = out.shape[static_cast<size_t>(axis)];
  if (a.k < 0 || a.k > size)
    return invalid_argument("C2: k is " + std::to_string(a.k) + "; it must be from 0 to " +
                            std::to_string(size) + ", the size of axis " + std::to_string(a.axis) + " of " +
                            to_string(in[0]));
  size = a.k;
  return Types{out, {DType::i64, out.shape}};
}
ShardingRule shard(const Attrs& a, const Types& in) {
  ShardingRule rule;
  for (int d = 0; d < in[0].rank(); ++d)
    if (d != axis_from_front(a.axis, in[0].shape.size())) rule.factor({d}, {d, d});
  return rule;
}
// A heap of k elements is searched for each element.
Cost cost(const Attrs& a, const Types& in) {
  return streaming_cost(
      in, *infer(a, in),
      static_cast<double>(in[0].elements()) * (1 + std::log2(1 + static_cast<double>(a.k))));
}
// Each value is one element of x. The indices have no gradient. A line has no index twice.
GraphValues gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  if (!op.gradients[0]) return {};
  const GraphValue zeros = b("full_like", {op.operands[0]}, {{"value", 0.0}});
  return {b("scatter_elements", {zeros, op.results[1], op.gradients[0]}, {{"axis", a.axis}})};
}

}  // namespace cutset::rules::top_k
