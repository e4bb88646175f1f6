// Attention with several heads, for the models.
#pragma once
#include <cutset/tensor.h>

#include <cstdint>

namespace cutset::models {

// Throws a cutset::Error unless `heads` divides `width`.
void check_heads(int64_t width, int64_t heads);
// Attention of queries, keys and values, [batch, positions, width], with `heads` heads of width / heads elements. The result is
// [batch, positions, width]. `mask` is as for cutset::attention.
Tensor multi_head_attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                            int64_t heads, bool causal);

}  // namespace cutset::models
