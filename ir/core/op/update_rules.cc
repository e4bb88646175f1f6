// SPDX-License-Identifier: Apache-2.0
#include "ir/core/op/update_rules.h"

#include "ir/core/half.h"

namespace cutset {

DType update_type(DType variable) { return is_half(variable) ? DType::f32 : variable; }

Result<Types> infer_update(const char* op, const Types& in, size_t tensors, size_t scalars) {
  const OpInfo& info = *find_op(op);
  const size_t gradient = 1 + tensors + scalars;
  const auto name = [&](size_t i) { return std::string(info.operands[i].name); };
  if (!is_float(in[0].dtype))
    return invalid_argument("C1: the variable is " + to_string(in[0]) +
                            "; it must have a floating-point type");
  const DType type = update_type(in[0].dtype);
  const TensorType tensor{type, in[0].shape}, scalar{type, {}};
  for (size_t i = 1; i < in.size(); ++i) {
    if ((i > tensors && i != gradient) || in[i] == tensor || (i == gradient && in[i] == in[0])) continue;
    return invalid_argument(
        "C1: " + name(i) + " is " + to_string(in[i]) +
        (type == in[0].dtype
             ? "; it must have the type of the variable, " + to_string(in[0])
             : "; beside a variable of " + to_string(in[0]) + ", it must be " + to_string(tensor)));
  }
  for (size_t i = 1 + tensors; i < in.size(); ++i)
    if (i != gradient && in[i] != scalar)
      return invalid_argument("C2: " + name(i) + " is " + to_string(in[i]) +
                              (type == in[0].dtype
                                   ? "; it must be a scalar of the element type of the variable, "
                                   : "; beside a variable of 16-bit floats, it must be a scalar of ") +
                              name_of(type));
  return Types(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(gradient));
}

std::vector<VariableState> update_states(const TensorType& variable, size_t tensors, size_t scalars) {
  const DType type = update_type(variable.dtype);
  std::vector<VariableState> states(tensors, {{type, variable.shape}});
  states.resize(tensors + scalars, {{type, {}}});
  return states;
}

ShardingRule update_rule(const Types& in, size_t updates) {
  ShardingRule rule;
  for (int d = 0; d < in[0].rank(); ++d) {
    std::vector<int> operands;
    for (const TensorType& t : in) operands.push_back(t.shape == in[0].shape ? d : kAbsent);
    std::vector<int> results(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(updates));
    rule.factor(std::move(operands), std::move(results));
  }
  return rule;
}

Cost update_cost(const Types& in, size_t updates, double flops) {
  const Types out(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(updates));
  return streaming_cost(in, out, flops * static_cast<double>(in[0].elements()));
}

}  // namespace cutset
