// The rules of fused_conv2d: infer, shard and cost (ir/core/op_info.h).
#include "ir/ops/conv2d/conv2d_rules.h"
#include "ir/ops/fused_conv2d/fused_conv2d_product.h"
#include "ir/ops/fused_conv2d/fused_conv2d_rules.h"

namespace cutset::rules::fused_conv2d {

Result<Types> infer(const FusedConv2dAttrs& a, const Types& in) { return conv2d::infer(product_of(a), in); }

// The rule of conv2d without the factor that sums, because relu of a sum is not the sum of relu.
ShardingRule shard(const FusedConv2dAttrs& a, const Types& in) {
  ShardingRule rule = conv2d::shard(product_of(a), in);
  std::erase_if(rule.factors, [](const Factor& f) { return f.sums(); });
  return rule;
}

Cost cost(const FusedConv2dAttrs& a, const Types& in) {
  Cost c = conv2d::cost(product_of(a), in);
  c.flops += static_cast<double>((*infer(a, in))[0].elements());
  return c;
}

}  // namespace cutset::rules::fused_conv2d
