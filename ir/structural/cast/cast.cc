// Rules: infer | shard | cost.
#include "ir/structural/cast/cast_rules.h"

namespace cutset::ops::cast {
Result<Types> infer(const CastAttrs& a, const Types& in) { return Types{{static_cast<DType>(a.dtype), in[0].shape}}; }
ShardingRule shard(const CastAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const CastAttrs& a, const Types& in) { return streaming_cost(in, *infer(a, in), 0); }
}  // namespace cutset::ops::cast
