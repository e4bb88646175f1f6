// SPDX-License-Identifier: Apache-2.0
// The rules of expand: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include <algorithm>

#include "ir/structural/expand/expand_rules.h"
#include "ir/structural/expand/expand_shape.h"

namespace cutset {

Result<Strides> expand_strides(std::span<const int64_t> x, std::span<const int64_t> like, cutset_i64s axes) {
  const int rank = static_cast<int>(like.size());
  bool put[kMaxRank] = {};
  for (size_t i = 0; i < axes.size; ++i) {
    if (axes.data[i] < 0 || axes.data[i] >= rank || put[axes.data[i]])
      return invalid_argument("C1: axis " + std::to_string(axes.data[i]) + " is not a dimension of " +
                              to_string(Shape(like.begin(), like.end())) + ", or is named twice");
    put[axes.data[i]] = true;
  }
  if (x.size() + axes.size > like.size())
    return invalid_argument("C1: the rank of " + to_string(Shape(x.begin(), x.end())) + " with " +
                            std::to_string(axes.size) + " inserted dimensions is above the rank of " +
                            to_string(Shape(like.begin(), like.end())));
  Strides strides;
  int64_t step = 1;
  int at = static_cast<int>(x.size()) - 1;
  for (int d = rank - 1; d >= 0 && at >= 0; --d) {
    if (put[d]) continue;
    if (x[size_t(at)] != like[size_t(d)] && x[size_t(at)] != 1)
      return invalid_argument("C2: " + to_string(Shape(x.begin(), x.end())) + " does not expand to " +
                              to_string(Shape(like.begin(), like.end())));
    strides.at[d] = x[size_t(at)] == 1 ? 0 : step;
    step *= x[size_t(at--)];
  }
  return strides;
}

namespace rules::expand {
Result<Types> infer(const ExpandAttrs& a, const Types& in) {
  CUTSET_TRY(expand_strides(in[0].shape, in[1].shape, a.axes));
  return Types{{in[0].dtype, in[1].shape}};
}
ShardingRule shard(const ExpandAttrs& a, const Types& in) {
  ShardingRule rule;
  int at = in[0].rank() - 1;
  for (int d = in[1].rank() - 1; d >= 0; --d) {
    const bool put = std::find(a.axes.data, a.axes.data + a.axes.size, d) != a.axes.data + a.axes.size;
    const bool has = !put && at >= 0 && in[0].shape[size_t(at)] == in[1].shape[size_t(d)];
    rule.factor({has ? at : kAbsent, d}, {d});
    at -= !put;
  }
  return rule;
}
Cost cost(const ExpandAttrs& a, const Types& in) { return streaming_cost({in[0]}, *infer(a, in), 0); }

GraphValues gradient(GradientBuilder& b, const ExpandAttrs& a, const Differentiated& op) {
  GraphValue g = op.gradients[0];
  if (a.axes.size > 0) g = b("reduce_sum", {g}, {{"axes", IntList(a.axes.data, a.axes.data + a.axes.size)}});
  return {b.sum_to_size(g, op.operands[0])};
}
}  // namespace rules::expand
}  // namespace cutset
