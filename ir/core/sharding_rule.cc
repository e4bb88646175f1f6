#include "ir/core/sharding_rule.h"

namespace cutset {

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
