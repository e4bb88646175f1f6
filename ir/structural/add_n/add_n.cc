// SPDX-License-Identifier: Apache-2.0
// The rules of add_n: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/structural/add_n/add_n_rules.h"

namespace cutset::rules::add_n {
Result<Types> infer(const AddNAttrs&, const Types& in) {
  if (in.empty() || in[0].dtype == DType::i1)
    return invalid_argument("C1: needs one or more values of a numeric type");
  for (const TensorType& t : in)
    if (t != in[0])
      return invalid_argument("C1: the types " + to_string(t) + " and " + to_string(in[0]) + " differ");
  return Types{in[0]};
}
ShardingRule shard(const AddNAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const AddNAttrs&, const Types& in) {
  return streaming_cost(in, {in[0]},
                        static_cast<double>(in[0].elements() * static_cast<int64_t>(in.size() - 1)));
}

GraphValues gradient(GradientBuilder&, const AddNAttrs&, const Differentiated& op) {
  return GraphValues(op.operands.size(), op.gradients[0]);
}
}  // namespace cutset::rules::add_n
