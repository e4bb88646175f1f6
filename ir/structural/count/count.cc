// SPDX-License-Identifier: Apache-2.0
// The rules of count: infer, shard and cost (ir/core/op/op_info.h).
#include "ir/ops/reduction/reduction_shape.h"
#include "ir/structural/count/count_rules.h"

namespace cutset::rules::count {
Result<Types> infer(const CountAttrs& a, const Types& in) {
  if (!is_float(in[0].dtype))
    return invalid_argument(std::string("C1: needs a floating-point type, not ") + name_of(in[0].dtype));
  CUTSET_TRY(reduction_shape(in[0].shape, a.axes));
  return Types{{in[0].dtype, {}}};
}
ShardingRule shard(const CountAttrs& a, const Types& in) {
  const ReductionShape s = *reduction_shape(in[0].shape, a.axes);
  ShardingRule rule;
  for (int d = 0; d < in[0].rank(); ++d)
    if (s.reduces[d]) rule.factor({d}, {kPartial});
  return rule;
}
Cost cost(const CountAttrs&, const Types&) { return {}; }
}  // namespace cutset::rules::count
