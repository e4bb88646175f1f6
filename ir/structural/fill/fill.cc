// Rules: infer | shard | cost.
#include "ir/structural/fill/fill_rules.h"

namespace cutset::ops::fill {
Result<Types> infer(const FillAttrs&, const Types& in) { return Types{in[0]}; }
ShardingRule shard(const FillAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const FillAttrs&, const Types& in) { return streaming_cost({}, in, 0); }
}  // namespace cutset::ops::fill
