// SPDX-License-Identifier: Apache-2.0
// The rules of transpose: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/ops/transpose/transpose_rules.h"

namespace cutset::rules::transpose {

Result<Types> infer(const TransposeAttrs& a, const Types& in) {
  const size_t rank = in[0].shape.size();
  bool seen[kMaxRank] = {};
  Shape shape;
  for (size_t i = 0; i < a.permutation.size; ++i) {
    const int64_t p = a.permutation.data[i];
    if (p < 0 || p >= static_cast<int64_t>(rank) || seen[p]) break;
    seen[p] = true;
    shape.push_back(in[0].shape[size_t(p)]);
  }
  if (shape.size() != rank || a.permutation.size != rank)
    return invalid_argument(
        "C1: " + to_string(Shape(a.permutation.data, a.permutation.data + a.permutation.size)) +
        " does not name each dimension of " + to_string(in[0].shape) + " once");
  return Types{{in[0].dtype, shape}};
}
ShardingRule shard(const TransposeAttrs& a, const Types&) {
  ShardingRule rule;
  for (size_t i = 0; i < a.permutation.size; ++i)
    rule.factor({static_cast<int>(a.permutation.data[i])}, {static_cast<int>(i)});
  return rule;
}
Cost cost(const TransposeAttrs& a, const Types& in) { return streaming_cost(in, *infer(a, in), 0); }

GraphValues gradient(GradientBuilder& b, const TransposeAttrs& a, const Differentiated& op) {
  IntList inverse(a.permutation.size);
  for (size_t i = 0; i < a.permutation.size; ++i)
    inverse[static_cast<size_t>(a.permutation.data[i])] = static_cast<int64_t>(i);
  return {b("transpose", {op.gradients[0]}, {{"permutation", inverse}})};
}

}  // namespace cutset::rules::transpose
