// SPDX-License-Identifier: Apache-2.0
// The rules of fused_matmul: infer, shard and cost (ir/core/op/op_info.h).
#include "ir/ops/fused_matmul/fused_matmul_product.h"
#include "ir/ops/fused_matmul/fused_matmul_rules.h"
#include "ir/ops/matmul/matmul_rules.h"

namespace cutset::rules::fused_matmul {

// Returns the types of x and y.
static Types factors_of(const Types& in) { return {in[0], in[1]}; }

Result<Types> infer(const FusedMatmulAttrs& a, const Types& in) {
  auto product = matmul::infer(product_of(a), factors_of(in));
  if (!product) return product;
  const TensorType bias = {in[0].dtype, {(*product)[0].shape.back()}};
  if (in[2] != bias)
    return invalid_argument("C5: the bias is " + to_string(in[2]) + ", not " + to_string(bias));
  return product;
}

// Returns the rule of matmul without the factor that sums, because the relu of a sum is not the sum of the
// relus. The bias is split with the columns, which are the last dimension of the result.
ShardingRule shard(const FusedMatmulAttrs& a, const Types& in) {
  const ShardingRule product = matmul::shard(product_of(a), factors_of(in));
  const int columns = (*infer(a, in))[0].rank() - 1;
  ShardingRule rule;
  for (const Factor& f : product.factors) {
    if (f.sums()) continue;
    const int of_bias = f.results[0] == columns ? 0 : kAbsent;
    rule.factor({f.operands[0], f.operands[1], of_bias}, f.results);
  }
  return rule;
}

Cost cost(const FusedMatmulAttrs& a, const Types& in) {
  Cost c = matmul::cost(product_of(a), factors_of(in));
  c.bytes_read += static_cast<double>(in[2].bytes());
  c.flops += static_cast<double>((*infer(a, in))[0].elements()) * (a.relu ? 2 : 1);
  return c;
}

}  // namespace cutset::rules::fused_matmul
