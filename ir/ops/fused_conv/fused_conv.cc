// SPDX-License-Identifier: Apache-2.0
// The rules of fused_conv: infer, shard and cost (ir/core/op/op_info.h).
#include "ir/ops/conv/conv_rules.h"
#include "ir/ops/fused_conv/fused_conv_product.h"
#include "ir/ops/fused_conv/fused_conv_rules.h"

namespace cutset::rules::fused_conv {

Result<Types> infer(const FusedConvAttrs& a, const Types& in) { return conv::infer(product_of(a), in); }

// Returns the rule of conv without the factor that sums, because the relu of a sum is not the sum of the
// relus.
ShardingRule shard(const FusedConvAttrs& a, const Types& in) {
  ShardingRule rule = conv::shard(product_of(a), in);
  std::erase_if(rule.factors, [](const Factor& f) { return f.sums(); });
  return rule;
}

Cost cost(const FusedConvAttrs& a, const Types& in) {
  Cost c = conv::cost(product_of(a), in);
  c.flops += static_cast<double>((*infer(a, in))[0].elements());
  return c;
}

}  // namespace cutset::rules::fused_conv
