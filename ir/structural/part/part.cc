// Rules: infer | shard | cost.
#include "ir/structural/part/part_rules.h"

namespace cutset::ops::part {
Result<Types> infer(const PartAttrs& a, const Types& in) {
  if (a.axis < 0 || a.axis >= in[0].rank())
    return invalid_argument("C1: axis " + std::to_string(a.axis) + " is not a dimension of " + to_string(in[0]));
  TensorType out = in[0];
  int64_t& all = out.shape[static_cast<size_t>(a.axis)];
  if (a.start < 0 || a.rows < 0 || a.start > all || a.rows > all - a.start)
    return invalid_argument("C2: " + std::to_string(a.rows) + " rows from " + std::to_string(a.start) +
                            " on do not lie within the " + std::to_string(all) + " of " + to_string(in[0]));
  all = a.rows;
  return Types{out};
}
ShardingRule shard(const PartAttrs& a, const Types& in) {
  ShardingRule rule;
  for (int d = 0; d < in[0].rank(); ++d)
    if (d != a.axis) rule.parallel({d}, {d});
  return rule;
}
Cost cost(const PartAttrs& a, const Types& in) {
  const Types out = *infer(a, in);
  return streaming_cost(out, out, 0);
}
}  // namespace cutset::ops::part
