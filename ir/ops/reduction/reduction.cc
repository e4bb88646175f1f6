// SPDX-License-Identifier: Apache-2.0
// The rules of the reductions: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/ops/reduction/reduction_rules.h"
#include "ir/ops/reduction/reduction_shape.h"

namespace cutset {

ReductionShape split_dimensions(std::span<const int64_t> x, const bool (&reduces)[kMaxRank]) {
  ReductionShape s;
  int64_t step[kMaxRank] = {}, product = 1;
  for (int d = static_cast<int>(x.size()) - 1; d >= 0; --d) {
    step[d] = product;
    product *= x[size_t(d)];
  }
  for (int d = 0; d < static_cast<int>(x.size()); ++d) {
    s.reduces[d] = reduces[d];
    if (reduces[d]) {
      s.reduced[s.reduced_rank] = x[size_t(d)];
      s.reduced_strides.at[s.reduced_rank++] = step[d];
      s.reduced_elements *= x[size_t(d)];
    } else {
      s.kept[s.kept_rank] = x[size_t(d)];
      s.kept_strides.at[s.kept_rank++] = step[d];
      s.kept_elements *= x[size_t(d)];
    }
  }
  return s;
}

Result<ReductionShape> reduction_shape(std::span<const int64_t> x, cutset_i64s axes) {
  bool reduces[kMaxRank] = {};
  const int64_t rank = static_cast<int64_t>(x.size());
  for (size_t i = 0; i < axes.size; ++i) {
    int64_t d = axes.data[i] < 0 ? axes.data[i] + rank : axes.data[i];
    if (d < 0 || d >= rank)
      return invalid_argument("C2: axis " + std::to_string(axes.data[i]) + " is not a dimension of " +
                              to_string(Shape(x.begin(), x.end())));
    if (reduces[d]) return invalid_argument("C2: axis " + std::to_string(axes.data[i]) + " is named twice");
    reduces[d] = true;
  }
  if (axes.size == 0)
    for (int64_t d = 0; d < rank; ++d) reduces[d] = true;
  return split_dimensions(x, reduces);
}

namespace rules {
namespace {

// Returns the types of the results. `A` is the attribute struct of a family.
template <class A>
Result<Types> reduced(const A& a, const Types& in) {
  CUTSET_ASSIGN(ReductionShape s, reduction_shape(in[0].shape, a.axes));
  Shape shape;
  for (int d = 0; d < in[0].rank(); ++d) {
    if (!s.reduces[d])
      shape.push_back(in[0].shape[size_t(d)]);
    else if (a.keepdims)
      shape.push_back(1);
  }
  return Types{{in[0].dtype, shape}};
}

// Returns the factors of the kept dimensions and, if `sums` is set, of the reduced dimensions.
template <class A>
ShardingRule rule_of(const A& a, const Types& in, bool sums) {
  auto s = *reduction_shape(in[0].shape, a.axes);
  ShardingRule rule;
  for (int d = 0, to = 0; d < in[0].rank(); ++d) {
    if (!s.reduces[d]) {
      rule.factor({d}, {to++});
    } else {
      if (sums) rule.factor({d}, {kPartial});
      to += a.keepdims;
    }
  }
  return rule;
}

// Broadcasts `v`, which has the shape of the result of a reduction, to the shape of the operand. `expand`
// inserts the axes that the reduction has dropped.
template <class A>
GraphValue back(GradientBuilder& b, const A& a, const Differentiated& op, GraphValue v) {
  const int64_t rank = b.type(op.operands[0]).rank();
  IntList dropped;
  if (!a.keepdims) {
    for (size_t i = 0; i < a.axes.size; ++i)
      dropped.push_back(a.axes.data[i] + (a.axes.data[i] < 0 ? rank : 0));
    for (int64_t d = 0; d < rank && a.axes.size == 0; ++d) dropped.push_back(d);
  }
  return b("expand", {v, op.operands[0]}, {{"axes", dropped}});
}

// Returns the gradient of a maximum or minimum. Elements that are equal to the result share the gradient.
GraphValues shared_by_ties(GradientBuilder& b, const ExtremumAttrs& a, const Differentiated& op) {
  const GraphValue x = op.operands[0];
  const GraphValue chosen = b("equal", {x, back(b, a, op, op.results[0])});
  const GraphValue mask = b("cast", {chosen}, {{"dtype", b.type(x).dtype}});
  const GraphValue ties = back(b, a, op, b("reduce_sum", {mask}, op.attributes));
  return {b("mul", {b("div", {mask, ties}), back(b, a, op, op.gradients[0])})};
}

}  // namespace

namespace reduction {
Result<Types> infer(const ReductionAttrs& a, const Types& in) {
  if (in[0].dtype == DType::i1) return invalid_argument("C1: needs a numeric type, not i1", "cast it");
  return reduced(a, in);
}
Cost cost(const ReductionAttrs& a, const Types& in) {
  return streaming_cost(in, *infer(a, in), static_cast<double>(in[0].elements()));
}
}  // namespace reduction

namespace extremum {
Result<Types> infer(const ExtremumAttrs& a, const Types& in) { return reduced(a, in); }
// Partial maxima do not add up.
ShardingRule shard(const ExtremumAttrs& a, const Types& in) { return rule_of(a, in, false); }
Cost cost(const ExtremumAttrs& a, const Types& in) {
  return streaming_cost(in, *infer(a, in), static_cast<double>(in[0].elements()));
}
}  // namespace extremum

ShardingRule reduce_sum::shard(const ReductionAttrs& a, const Types& in) { return rule_of(a, in, true); }
ShardingRule reduce_prod::shard(const ReductionAttrs& a, const Types& in) { return rule_of(a, in, false); }

GraphValues reduce_sum::gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  return {back(b, a, op, op.gradients[0])};
}
GraphValues reduce_max::gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  return shared_by_ties(b, a, op);
}
GraphValues reduce_min::gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  return shared_by_ties(b, a, op);
}

// The gradient of an element is the gradient of the result times the product of the other elements. The first
// axis gives the product of the elements before and after the element on its line. Each further axis gives
// the products of the other lines. There is no division, so the gradient is also right for zeros.
GraphValues reduce_prod::gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  const TensorType x = b.type(op.operands[0]);
  const ReductionShape s = *reduction_shape(x.shape, a.axes);
  GraphValue product = op.operands[0], gradient = back(b, a, op, op.gradients[0]);
  int left = s.reduced_rank;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (!s.reduces[d]) continue;
    const GraphValue before = b("cumprod", {product}, {{"axis", d}, {"exclusive", true}});
    const GraphValue behind = b("cumprod", {product}, {{"axis", d}, {"exclusive", true}, {"reverse", true}});
    gradient = b("mul", {gradient, b("mul", {before, behind})});
    if (--left > 0) product = b("reduce_prod", {product}, {{"axes", IntList{d}}, {"keepdims", true}});
  }
  return {gradient};
}

}  // namespace rules
}  // namespace cutset
