// The rules of pad: infer, shard and cost (ir/core/op_info.h).
#include "ir/core/rows.h"
#include "ir/ops/pad/pad_rules.h"

namespace cutset::rules::pad {
Result<Types> infer(const PadAttrs& a, const Types& in) {
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size());
  if (axis < 0)
    return invalid_argument("C1: axis " + std::to_string(a.axis) + " is not a dimension of " + to_string(in[0]));
  constexpr int64_t kMost = int64_t{1} << 48;
  if (a.before < 0 || a.after < 0 || a.before > kMost || a.after > kMost)
    return invalid_argument("C2: before is " + std::to_string(a.before) + " and after is " + std::to_string(a.after) +
                            "; both must be from 0 to 2^48");
  TensorType out = in[0];
  out.shape[static_cast<size_t>(axis)] += a.before + a.after;
  return Types{out};
}
ShardingRule shard(const PadAttrs& a, const Types& in) {
  ShardingRule rule;
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size());
  for (int d = 0; d < in[0].rank(); ++d)
    if (d != axis) rule.factor({d}, {d});
  return rule;
}
Cost cost(const PadAttrs& a, const Types& in) { return streaming_cost(in, *infer(a, in), 0); }
}  // namespace cutset::rules::pad
