// SPDX-License-Identifier: Apache-2.0
// The rules of gather_elements: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/core/rows.h"
#include "ir/ops/gather_elements/element_lines.h"
#include "ir/ops/gather_elements/gather_elements_rules.h"

namespace cutset::rules::gather_elements {

Result<Types> infer(const Attrs& a, const Types& in) {
  CUTSET_TRY(element_lines(in[0], in[1], a.axis));
  return Types{{in[0].dtype, in[1].shape}};
}
// A dimension has no factor if the indices are smaller than data along it, because a shard of the indices
// would need rows of data from other shards.
ShardingRule shard(const Attrs& a, const Types& in) {
  ShardingRule rule;
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size());
  for (int d = 0; d < in[0].rank(); ++d) {
    if (d == axis)
      rule.factor({kAbsent, d}, {d});
    else if (in[0].shape[static_cast<size_t>(d)] == in[1].shape[static_cast<size_t>(d)])
      rule.factor({d, d}, {d});
  }
  return rule;
}
// Only the gathered elements of data are read.
Cost cost(const Attrs& a, const Types& in) {
  const auto bytes = static_cast<double>((*infer(a, in))[0].bytes());
  return {.flops = 0, .bytes_read = bytes + static_cast<double>(in[1].bytes()), .bytes_written = bytes};
}
// The indices have no gradient.
GraphValues gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  const GraphValue zeros = b("full_like", {op.operands[0]}, {{"value", 0.0}});
  return {b("scatter_elements", {zeros, op.operands[1], op.gradients[0]},
            {{"axis", a.axis}, {"reduction", std::string("add")}})};
}

}  // namespace cutset::rules::gather_elements
