// SPDX-License-Identifier: Apache-2.0
// The rules of moving_average: infer, shard and cost (ir/core/op/op_info.h).
#include "ir/core/op/update_rules.h"
#include "ir/structural/moving_average/moving_average_rules.h"

namespace cutset::rules::moving_average {

Result<Types> infer(const MovingAverageAttrs&, const Types& in) {
  if (!is_float(in[1].dtype) || in[0] != TensorType{update_type(in[1].dtype), in[1].shape})
    return invalid_argument("C1: average " + to_string(in[0]) + " and value " + to_string(in[1]) +
                            " must have the same floating-point type and shape, or, beside f16 or bf16, f32");
  if (in[2] != TensorType{in[0].dtype, {}})
    return invalid_argument("C2: decay is " + to_string(in[2]) +
                            "; it must be a scalar of the element type " + name_of(in[0].dtype));
  return Types{in[0]};
}
ShardingRule shard(const MovingAverageAttrs&, const Types& in) { return update_rule(in, 1); }
Cost cost(const MovingAverageAttrs&, const Types& in) { return update_cost(in, 1, 3); }

}  // namespace cutset::rules::moving_average
