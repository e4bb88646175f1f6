// The rules of reshape and reshape_like: infer, shard and cost (ir/core/op_info.h). Both are views, so they cost
// nothing.
#include "ir/ops/reshape/reshape_rules.h"

namespace cutset::rules {
namespace {

// Only the leading dimensions whose sizes do not change can be split.
ShardingRule leading(const Shape& from, const Shape& to, size_t operands) {
  ShardingRule rule;
  for (size_t d = 0; d < std::min(from.size(), to.size()) && from[d] == to[d]; ++d) {
    std::vector<int> in(operands, static_cast<int>(d));
    rule.factor(in, {static_cast<int>(d)});
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
    if (shape[d] != 0 && known > (int64_t{1} << 48) / shape[d]) return invalid_argument("C2: the shape is too large");
    known *= shape[d];
  }
  if (hole >= 0) shape[size_t(hole)] = known == 0 ? 0 : all / known, known *= shape[size_t(hole)];
  if (known != all)
    return invalid_argument("C2: " + std::to_string(all) + " elements of " + to_string(in[0].shape) +
                            " do not fit the shape " + to_string(Shape(a.shape.data, a.shape.data + a.shape.size)));
  return Types{{in[0].dtype, shape}};
}
ShardingRule shard(const ReshapeAttrs& a, const Types& in) { return leading(in[0].shape, (*infer(a, in))[0].shape, 1); }
Cost cost(const ReshapeAttrs&, const Types&) { return {}; }
}  // namespace reshape

namespace reshape_like {
Result<Types> infer(const ReshapeLikeAttrs&, const Types& in) {
  if (in[0].elements() != in[1].elements())
    return invalid_argument("C1: " + to_string(in[0]) + " and " + to_string(in[1]) +
                            " differ in their number of elements");
  return Types{{in[0].dtype, in[1].shape}};
}
ShardingRule shard(const ReshapeLikeAttrs&, const Types& in) { return leading(in[0].shape, in[1].shape, 2); }
Cost cost(const ReshapeLikeAttrs&, const Types&) { return {}; }
}  // namespace reshape_like
}  // namespace cutset::rules
