// Rules: infer | shard | cost.
#include "ir/core/rows.h"
#include "ir/structural/concat/concat_rules.h"

namespace cutset::ops::concat {
Result<Types> infer(const ConcatAttrs& a, const Types& in) {
  if (in.empty()) return invalid_argument("C1: there is no part");
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size());
  if (axis < 0)
    return invalid_argument("C1: axis " + std::to_string(a.axis) + " is not a dimension of " + to_string(in[0]));
  TensorType out = in[0];
  int64_t& rows = out.shape[static_cast<size_t>(axis)];
  rows = 0;
  for (const TensorType& t : in) {
    TensorType alike = t;
    if (t.rank() == in[0].rank()) alike.shape[static_cast<size_t>(axis)] = in[0].shape[static_cast<size_t>(axis)];
    if (alike != in[0])
      return invalid_argument("C2: " + to_string(t) + " does not go on " + to_string(in[0]) + " along axis " +
                              std::to_string(a.axis));
    rows += t.shape[static_cast<size_t>(axis)];
  }
  return Types{out};
}
ShardingRule shard(const ConcatAttrs& a, const Types& in) {
  ShardingRule rule;
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size());
  for (int d = 0; d < in[0].rank(); ++d)
    if (d != axis) rule.parallel(std::vector<int>(in.size(), d), {d});
  return rule;
}
Cost cost(const ConcatAttrs& a, const Types& in) { return streaming_cost(in, *infer(a, in), 0); }
}  // namespace cutset::ops::concat
