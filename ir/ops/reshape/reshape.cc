// SPDX-License-Identifier: Apache-2.0
// The rules of reshape and reshape_like: infer, shard, cost and gradient (ir/core/op/op_info.h). Both are
// views, so they cost nothing.
#include <functional>
#include <numeric>

#include "ir/ops/reshape/reshape_rules.h"

namespace cutset::rules {
namespace {

// A dimension can be split if the product of the sizes before it is the same for a dimension of the result,
// because both dimensions then run over the same elements in the same order. If their sizes differ, the
// number of steps of the factor is their greatest common divisor. `shape` is the attribute of reshape. Its
// element 0 copies the size of the operand's dimension with the same index. It is null for reshape_like.
ShardingRule kept_dimensions(const Shape& from, const Shape& to, const Shape* shape) {
  ShardingRule rule;
  const auto outer = [](const Shape& s, size_t d) {
    return std::accumulate(s.begin(), s.begin() + static_cast<ptrdiff_t>(d), int64_t{1}, std::multiplies<>());
  };
  size_t next = 0;  // the first dimension of the result that no factor has yet
  for (size_t d = 0; d < from.size(); ++d)
    for (size_t e = next; e < to.size(); ++e) {
      const int64_t steps = std::gcd(from[d], to[e]);
      if (from[d] != to[e] && (steps < 2 || from[d] == 0 || to[e] == 0)) continue;
      if (outer(from, d) != outer(to, e)) continue;
      const bool copies = shape && d != e && ((*shape)[e] == 0 || (d < shape->size() && (*shape)[d] == 0));
      const int in = static_cast<int>(d), out = static_cast<int>(e);
      // The second operand of reshape_like has the type of the result.
      const std::vector<int> operands = shape ? std::vector<int>{in} : std::vector<int>{in, out};
      if (!copies && from[d] == to[e]) rule.factor(operands, {out});
      if (!copies && from[d] != to[e]) {
        const int64_t in_unit = from[d] / steps, out_unit = to[e] / steps;
        rule.compound(operands, shape ? std::vector{in_unit} : std::vector{in_unit, out_unit}, {out},
                      {out_unit});
      }
      next = e + 1;
      break;
    }
  return rule;
}

}  // namespace

namespace reshape {
Result<Types> infer(const ReshapeAttrs& a, const Types& in) {
  Shape shape(a.shape.data, a.shape.data + a.shape.size);
  int64_t known = 1, hole = -1;
  const int64_t all = in[0].elements();
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && d < in[0].shape.size())
      shape[d] = in[0].shape[d];
    else if (shape[d] == -1 && hole < 0) {
      hole = static_cast<int64_t>(d);
      continue;
    } else if (shape[d] <= 0)
      return invalid_argument("C1: cannot reshape " + to_string(in[0].shape) + " to " +
                              to_string(Shape(a.shape.data, a.shape.data + a.shape.size)));
    if (shape[d] != 0 && known > (int64_t{1} << 48) / shape[d])
      return invalid_argument("C2: the shape is too large");
    known *= shape[d];
  }
  if (hole >= 0) {
    shape[size_t(hole)] = known == 0 ? 0 : all / known;
    known *= shape[size_t(hole)];
  }
  if (known != all)
    return invalid_argument("C2: " + std::to_string(all) + " elements of " + to_string(in[0].shape) +
                            " do not fit the shape " +
                            to_string(Shape(a.shape.data, a.shape.data + a.shape.size)));
  return Types{{in[0].dtype, shape}};
}
ShardingRule shard(const ReshapeAttrs& a, const Types& in) {
  const Shape shape(a.shape.data, a.shape.data + a.shape.size);
  return kept_dimensions(in[0].shape, (*infer(a, in))[0].shape, &shape);
}
Cost cost(const ReshapeAttrs&, const Types&) { return {}; }
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  return {b("reshape_like", {op.gradients[0], op.operands[0]})};
}
}  // namespace reshape

namespace reshape_like {
Result<Types> infer(const ReshapeLikeAttrs&, const Types& in) {
  if (in[0].elements() != in[1].elements())
    return invalid_argument("C1: " + to_string(in[0]) + " and " + to_string(in[1]) +
                            " differ in their number of elements");
  return Types{{in[0].dtype, in[1].shape}};
}
ShardingRule shard(const ReshapeLikeAttrs&, const Types& in) {
  return kept_dimensions(in[0].shape, in[1].shape, nullptr);
}
Cost cost(const ReshapeLikeAttrs&, const Types&) { return {}; }
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  return {b("reshape_like", {op.gradients[0], op.operands[0]})};
}
}  // namespace reshape_like
}  // namespace cutset::rules
