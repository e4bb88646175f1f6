// SPDX-License-Identifier: Apache-2.0
// The rules of accumulate: infer, shard and cost (ir/core/op/op_info.h).
#include "ir/structural/accumulate/accumulate_rules.h"

namespace cutset::rules::accumulate {

Result<Types> infer(const AccumulateAttrs&, const Types& in) {
  if (in[0].dtype == DType::i1 || in[0] != in[1])
    return invalid_argument("C1: sum " + to_string(in[0]) + " and value " + to_string(in[1]) +
                            " must have the same numeric type and shape");
  return Types{in[0]};
}
ShardingRule shard(const AccumulateAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const AccumulateAttrs&, const Types& in) {
  return streaming_cost(in, {in[0]}, static_cast<double>(in[0].elements()));
}

}  // namespace cutset::rules::accumulate
