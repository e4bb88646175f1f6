#include "ir/core/update_rules.h"

namespace cutset {

Result<Types> infer_update(const char* op, const Types& in, size_t tensors, size_t scalars) {
  const OpInfo& info = *find_op(op);
  const size_t gradient = 1 + tensors + scalars;
  const auto name = [&](size_t i) { return std::string(info.operands[i].name); };
  if (!is_float(in[0].dtype))
    return invalid_argument("C1: the variable is " + to_string(in[0]) + "; it must have a floating-point type");
  for (size_t i = 1; i < in.size(); ++i) {
    if (i > tensors && i != gradient) continue;
    if (in[i] != in[0])
      return invalid_argument("C1: " + name(i) + " is " + to_string(in[i]) +
                              "; it must have the type of the variable, " + to_string(in[0]));
  }
  const TensorType scalar{in[0].dtype, {}};
  for (size_t i = 1 + tensors; i < in.size(); ++i)
    if (i != gradient && in[i] != scalar)
      return invalid_argument("C2: " + name(i) + " is " + to_string(in[i]) +
                              "; it must be a scalar of the element type of the variable, " + name_of(in[0].dtype));
  return Types(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(gradient));
}

std::vector<VariableState> update_states(const TensorType& variable, size_t tensors, size_t scalars) {
  std::vector<VariableState> states(tensors, {variable});
  states.resize(tensors + scalars, {{variable.dtype, {}}});
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
