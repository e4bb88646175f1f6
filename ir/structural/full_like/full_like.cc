// SPDX-License-Identifier: Apache-2.0
// The rules of full_like: infer, shard and cost (ir/core/op/op_info.h).
#include "ir/structural/full_like/full_like_rules.h"

namespace cutset::rules::full_like {
Result<Types> infer(const FullLikeAttrs&, const Types& in) { return Types{in[0]}; }
ShardingRule shard(const FullLikeAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const FullLikeAttrs&, const Types& in) { return streaming_cost({}, in, 0); }
}  // namespace cutset::rules::full_like
