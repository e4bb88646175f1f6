// SPDX-License-Identifier: Apache-2.0
#include "ir/core/op/sharding_rule.h"

namespace cutset {

void set_position(const Factor& factor, int64_t first, int64_t all, Attributes& attributes) {
  const auto find = [&](const char* name) {
    return std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a.first == name; });
  };
  set_position(
      factor, first, all,
      [&](const char* name) {
        const auto its = find(name);
        const auto* value = its == attributes.end() ? nullptr : std::get_if<int64_t>(&its->second);
        return value ? *value : 0;
      },
      [&](const char* name, int64_t value) {
        if (const auto its = find(name); its != attributes.end())
          its->second = value;
        else
          attributes.emplace_back(name, value);
      });
}

ShardingRule elementwise_rule(const Types& in, const TensorType& out, size_t results) {
  ShardingRule rule;
  for (int d = 0; d < out.rank(); ++d) {
    std::vector<int> operands;
    for (const TensorType& t : in) {
      int at = d - (out.rank() - t.rank());
      bool has = at >= 0 && t.shape[static_cast<size_t>(at)] == out.shape[static_cast<size_t>(d)];
      operands.push_back(has ? at : kAbsent);
    }
    rule.factor(std::move(operands), std::vector<int>(results, d));
  }
  return rule;
}

}  // namespace cutset
