// SPDX-License-Identifier: Apache-2.0
// The rules of split_with_sizes: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/core/rows.h"
#include "ir/ops/split_with_sizes/split_with_sizes_rules.h"

namespace cutset::rules::split_with_sizes {

Result<Types> infer(const Attrs& a, const Types& in) {
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size());
  if (axis < 0)
    return invalid_argument("C1: axis " + std::to_string(a.axis) + " is not a dimension of " +
                            to_string(in[0]));
  constexpr size_t kMost = 65536;
  if (a.sizes.size == 0 || a.sizes.size > kMost)
    return invalid_argument("C2: there are " + std::to_string(a.sizes.size) + " sizes, not 1 to 65536");
  const int64_t all = in[0].shape[static_cast<size_t>(axis)];
  int64_t left = all;
  Types out(a.sizes.size, in[0]);
  for (size_t i = 0; i < out.size() && left >= 0; ++i) {
    const int64_t size = a.sizes.data[i];
    out[i].shape[static_cast<size_t>(axis)] = size;
    left = size < 0 || size > left ? -1 : left - size;
  }
  if (left != 0) {
    const Shape some(a.sizes.data, a.sizes.data + std::min<size_t>(a.sizes.size, 8));
    return invalid_argument("C2: the sizes " + to_string(some) + (a.sizes.size > 8 ? " and more" : "") +
                            " are not sizes that add up to " + std::to_string(all) + ", the size of axis " +
                            std::to_string(a.axis) + " of " + to_string(in[0]));
  }
  return out;
}

ShardingRule shard(const Attrs& a, const Types& in) {
  ShardingRule rule;
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size());
  for (int d = 0; d < in[0].rank(); ++d)
    if (d != axis) rule.factor({d}, std::vector<int>(a.sizes.size, d));
  return rule;
}

Cost cost(const Attrs&, const Types& in) { return streaming_cost(in, in, 0); }

// Joins the gradients of the slices. If the loss does not depend on a slice, its gradient is 0.
GraphValues gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  GraphValues slices = op.gradients;
  for (size_t i = 0; i < slices.size(); ++i)
    if (!slices[i]) slices[i] = b("full_like", {op.results[i]}, {{"value", 0.0}});
  return {b("concat", slices, {{"axis", a.axis}})};
}

}  // namespace cutset::rules::split_with_sizes
