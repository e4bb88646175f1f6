#include "frontends/models/heads.h"

#include <cutset/attention.h>

namespace cutset::models {

void check_heads(int64_t width, int64_t heads) {
  if (width % heads != 0)
    throw Error(ErrorCode::kInvalidArgument,
                "the size 'width' is " + std::to_string(width) + ", which is not a multiple of the " +
                    std::to_string(heads) + " heads",
                "", "choose --size width and --size heads so that each head has the same number of elements");
}

Tensor multi_head_attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                            int64_t heads, bool causal) {
  const int64_t width = query.shape()[2];
  const auto divided = [&](const Tensor& x) {
    return transpose(reshape(x, {.shape = {0, 0, heads, width / heads}}), {.permutation = {0, 2, 1, 3}});
  };
  const Tensor joined = attention(divided(query), divided(key), divided(value), mask, {}, {.causal = causal}).output;
  return reshape(transpose(joined, {.permutation = {0, 2, 1, 3}}), {.shape = {0, 0, width}});
}

}  // namespace cutset::models
