// SPDX-License-Identifier: Apache-2.0
// The rules of detach: infer, shard, cost and gradient (ir/core/op/op_info.h). The op is a view, so it costs
// nothing. The pass `differentiate` removes it (passes/differentiate/differentiate.cc).
#include "ir/core/check_types.h"
#include "ir/ops/detach/detach_rules.h"

namespace cutset::rules::detach {

Result<Types> infer(const DetachAttrs&, const Types& in) {
  if (in.size() < 2) return Types{in[0]};
  if (in[1].dtype != DType::i1)
    return invalid_argument(std::string("C1: unless is ") + name_of(in[1].dtype) + ", not i1",
                            "compare first");
  const auto joined = broadcast_shapes(in[0].shape, in[1].shape);
  if (!joined || *joined != in[0].shape)
    return invalid_argument("C2: unless is " + to_string(in[1]) + ", which does not broadcast to " +
                            to_string(in[0]));
  return Types{in[0]};
}

ShardingRule shard(const DetachAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }

Cost cost(const DetachAttrs&, const Types&) { return {}; }

GraphValues gradient(GradientBuilder& b, const DetachAttrs&, const Differentiated& op) {
  if (op.operands.size() < 2) return {};
  const GraphValue g = op.gradients[0], none = b("full_like", {g}, {{"value", 0.0}});
  return {b("where", {op.operands[1], g, none})};
}

}  // namespace cutset::rules::detach
