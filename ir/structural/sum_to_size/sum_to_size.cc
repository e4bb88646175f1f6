// SPDX-License-Identifier: Apache-2.0
// The rules of sum_to_size: infer, shard and cost (ir/core/op/op_info.h).
#include "ir/core/check_types.h"
#include "ir/structural/sum_to_size/sum_to_shape.h"
#include "ir/structural/sum_to_size/sum_to_size_rules.h"

namespace cutset {

ReductionShape sum_to_shape(std::span<const int64_t> x, std::span<const int64_t> like) {
  bool reduces[kMaxRank] = {};
  const size_t extra = x.size() - like.size();
  for (size_t d = 0; d < x.size(); ++d) reduces[d] = d < extra || (like[d - extra] == 1 && x[d] != 1);
  return split_dimensions(x, reduces);
}

namespace rules::sum_to_size {
Result<Types> infer(const SumToSizeAttrs&, const Types& in) {
  if (!is_float(in[0].dtype) || in[0].dtype != in[1].dtype)
    return invalid_argument("C1: " + to_string(in[0]) + " and " + to_string(in[1]) +
                            " do not have the same floating-point type");
  auto joined = broadcast_shapes(in[0].shape, in[1].shape);
  if (!joined || *joined != in[0].shape)
    return invalid_argument("C2: " + to_string(in[1].shape) + " does not broadcast to " +
                            to_string(in[0].shape));
  return Types{in[1]};
}
ShardingRule shard(const SumToSizeAttrs&, const Types& in) {
  ShardingRule rule;
  const int extra = in[0].rank() - in[1].rank();
  const ReductionShape s = sum_to_shape(in[0].shape, in[1].shape);
  for (int d = 0; d < in[0].rank(); ++d) {
    if (s.reduces[d])
      rule.factor({d, kAbsent}, {kPartial});
    else
      rule.factor({d, d - extra}, {d - extra});
  }
  return rule;
}
Cost cost(const SumToSizeAttrs&, const Types& in) {
  return streaming_cost({in[0]}, {in[1]}, static_cast<double>(in[0].elements()));
}
}  // namespace rules::sum_to_size
}  // namespace cutset
