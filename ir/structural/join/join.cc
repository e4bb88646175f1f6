// Rules: infer | shard | cost.
#include "ir/structural/join/join_rules.h"

namespace cutset::ops::join {
Result<Types> infer(const JoinAttrs& a, const Types& in) {
  if (in.empty() || a.axis < 0 || a.axis >= in[0].rank())
    return invalid_argument("C1: axis " + std::to_string(a.axis) + " is not a dimension of " +
                            (in.empty() ? "no tensor" : to_string(in[0])));
  TensorType out = in[0];
  int64_t& rows = out.shape[static_cast<size_t>(a.axis)];
  rows = 0;
  for (const TensorType& t : in) {
    TensorType alike = t;
    if (t.rank() == in[0].rank()) alike.shape[static_cast<size_t>(a.axis)] = in[0].shape[static_cast<size_t>(a.axis)];
    if (alike != in[0]) return invalid_argument("C2: " + to_string(t) + " does not go on " + to_string(in[0]));
    rows += t.shape[static_cast<size_t>(a.axis)];
  }
  return Types{out};
}
ShardingRule shard(const JoinAttrs& a, const Types& in) {
  ShardingRule rule;
  for (int d = 0; d < in[0].rank(); ++d)
    if (d != a.axis) rule.parallel(std::vector<int>(in.size(), d), {d});
  return rule;
}
Cost cost(const JoinAttrs& a, const Types& in) { return streaming_cost(in, *infer(a, in), 0); }
}  // namespace cutset::ops::join
