// SPDX-License-Identifier: Apache-2.0
// The rules of all_finite: infer, shard and cost (ir/core/op/op_info.h). The op has no sharding factor,
// because the pass `cut` builds it after the batch has been split.
#include "ir/structural/all_finite/all_finite_rules.h"

namespace cutset::rules::all_finite {
Result<Types> infer(const AllFiniteAttrs&, const Types& in) {
  if (in.empty()) return invalid_argument("C1: needs one or more values");
  for (const TensorType& t : in)
    if (!is_float(t.dtype))
      return invalid_argument("C1: " + to_string(t) + " is not of a floating-point type");
  return Types{{DType::i1, {}}};
}
ShardingRule shard(const AllFiniteAttrs&, const Types&) { return {}; }
Cost cost(const AllFiniteAttrs&, const Types& in) {
  double elements = 0;
  for (const TensorType& t : in) elements += static_cast<double>(t.elements());
  return streaming_cost(in, {{DType::i1, {}}}, elements);
}
}  // namespace cutset::rules::all_finite
