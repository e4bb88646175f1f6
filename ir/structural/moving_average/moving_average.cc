// The rules of moving_average: infer, shard and cost (ir/core/op_info.h).
#include "ir/core/update_rules.h"
#include "ir/structural/moving_average/moving_average_rules.h"

namespace cutset::rules::moving_average {

Result<Types> infer(const MovingAverageAttrs&, const Types& in) {
  if (!is_float(in[0].dtype) || in[0] != in[1])
    return invalid_argument("C1: average " + to_string(in[0]) + " and value " + to_string(in[1]) +
                            " must have the same floating-point type and shape");
  if (in[2] != TensorType{in[0].dtype, {}})
    return invalid_argument("C2: decay is " + to_string(in[2]) + "; it must be a scalar of the element type " +
                            name_of(in[0].dtype));
  return Types{in[0]};
}
ShardingRule shard(const MovingAverageAttrs&, const Types& in) { return update_rule(in, 1); }
Cost cost(const MovingAverageAttrs&, const Types& in) { return update_cost(in, 1, 3); }

}  // namespace cutset::rules::moving_average
