// SPDX-License-Identifier: Apache-2.0
// The rules of scatter_elements: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/core/rows.h"
#include "ir/ops/gather_elements/element_lines.h"
#include "ir/ops/scatter_elements/scatter_elements_rules.h"

namespace cutset::rules::scatter_elements {

Result<Types> infer(const Attrs& a, const Types& in) {
  CUTSET_TRY(element_lines(in[0], in[1], a.axis));
  if (in[2] != TensorType{in[0].dtype, in[1].shape})
    return invalid_argument("C4: the updates are " + to_string(in[2]) + ", not " +
                            to_string(TensorType{in[0].dtype, in[1].shape}));
  const bool adds = a.reduction == CUTSET_SCATTER_ELEMENTS_REDUCTION_ADD,
             multiplies = a.reduction == CUTSET_SCATTER_ELEMENTS_REDUCTION_MUL;
  if (in[0].dtype == DType::i1 && (adds || multiplies))
    return invalid_argument(
        std::string("C5: the reduction ") + (adds ? "add" : "mul") + " needs a numeric type, not i1",
        "use max for the logical or, and min for the logical and");
  return Types{in[0]};
}
// A dimension has no factor if the indices are smaller than data along it, because not all shards of data
// would have indices.
ShardingRule shard(const Attrs& a, const Types& in) {
  ShardingRule rule;
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size());
  for (int d = 0; d < in[0].rank(); ++d)
    if (d != axis && in[0].shape[static_cast<size_t>(d)] == in[1].shape[static_cast<size_t>(d)])
      rule.factor({d, d, d}, {d});
  return rule;
}
Cost cost(const Attrs&, const Types& in) {
  return streaming_cost(in, {in[0], in[2]}, static_cast<double>(in[2].elements()));
}

namespace {

// Builds the gradients of an op. Every function returns the gradients of data, of the indices (none) and of
// the updates.
struct Gradients {
  GradientBuilder& b;
  const Attrs& a;
  GraphValue data, indices, updates, result, gradient;

  DType dtype() const { return b.type(data).dtype; }
  // Returns the elements at the indices of a tensor with the shape of data.
  GraphValue at_indices(GraphValue v) const { return b("gather_elements", {v, indices}, {{"axis", a.axis}}); }
  GraphValue scatter(GraphValue to, GraphValue values, const char* reduction) const {
    return b("scatter_elements", {to, indices, values},
             {{"axis", a.axis}, {"reduction", std::string(reduction)}});
  }
  GraphValue filled(GraphValue like, double value) const {
    return b("full_like", {like}, {{"value", value}});
  }
  GraphValue as_number(GraphValue flags) const { return b("cast", {flags}, {{"dtype", dtype()}}); }
  GraphValue constant(double value) const { return b.constant(dtype(), value); }

  // An update that is replaced by a later update has no gradient. The updates of a line are numbered and
  // scattered. An update is the last for its element if its number remains there.
  GraphValues replaced() const {
    const GraphValue numbers = b("cumsum", {filled(indices, 1)}, {{"axis", a.axis}});
    const GraphValue table = b("cast", {data}, {{"dtype", b.type(indices).dtype}});
    const GraphValue stays = b("equal", {at_indices(scatter(filled(table, 0), numbers, "none")), numbers});
    return {scatter(gradient, filled(updates, 0), "none"),
            {},
            b("where", {stays, at_indices(gradient), constant(0)})};
  }
  // The derivative of the result for an update is the result divided by the update. If only this update of an
  // element is 0, the derivative is the product of the others.
  GraphValues multiplied() const {
    const GraphValue is_zero = b("equal", {updates, constant(0)});
    const GraphValue others = b("where", {is_zero, constant(1), updates});
    const GraphValue zeros = at_indices(scatter(filled(data, 0), as_number(is_zero), "add"));
    const GraphValue of_zero =
        b("where", {b("equal", {zeros, constant(1)}), at_indices(scatter(data, others, "mul")), constant(0)});
    const GraphValue slope = b("where", {is_zero, of_zero, b("div", {at_indices(result), others})});
    return {b("mul", {gradient, scatter(filled(data, 1), updates, "mul")}),
            {},
            b("mul", {at_indices(gradient), slope})};
  }
  // Data and updates that equal the extremum share the gradient.
  GraphValues chosen() const {
    const GraphValue of_data = as_number(b("equal", {data, result}));
    const GraphValue of_updates = as_number(b("equal", {updates, at_indices(result)}));
    const GraphValue share = b("div", {gradient, scatter(of_data, of_updates, "add")});
    return {b("mul", {of_data, share}), {}, b("mul", {of_updates, at_indices(share)})};
  }
};

}  // namespace

GraphValues gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  const Gradients g{b, a, op.operands[0], op.operands[1], op.operands[2], op.results[0], op.gradients[0]};
  switch (a.reduction) {
    case CUTSET_SCATTER_ELEMENTS_REDUCTION_NONE:
      return g.replaced();
    case CUTSET_SCATTER_ELEMENTS_REDUCTION_ADD:
      return {g.gradient, {}, g.at_indices(g.gradient)};
    case CUTSET_SCATTER_ELEMENTS_REDUCTION_MUL:
      return g.multiplied();
    default:
      return g.chosen();
  }
}

}  // namespace cutset::rules::scatter_elements
