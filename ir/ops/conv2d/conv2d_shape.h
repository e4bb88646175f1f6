// The sizes of a convolution, shared by the forward op and its two backward ops.
#pragma once
#include <span>

#include "ir/core/abi_types.h"
#include "ir/core/sharding_rule.h"
#include "ir/core/types.h"

namespace cutset {

struct Conv2dShape {
  int64_t n, c, h, w;      // input
  int64_t o, oh, ow;       // output
  int64_t groups, cg, og;  // channels of a group: input, output
  int64_t kh, kw, sh, sw, ph, pw, dh, dw;

  // Not an integer: the product may exceed 64 bits.
  double multiply_adds() const {
    return static_cast<double>(n * o) * static_cast<double>(oh * ow) * static_cast<double>(cg * kh * kw);
  }
};

// Checks C1 to C4 and gives the sizes.
Result<Conv2dShape> conv2d_shape(std::span<const int64_t> x, std::span<const int64_t> filter, cutset_i64s stride,
                                 cutset_i64s padding, cutset_i64s dilation, int64_t groups);

// The factors of a convolution; each argument lists the dimension in (operands..., result).
// `channels` is false where groups or a bias keep the channel loops from being split.
struct Conv2dDims {
  std::vector<int> batch, out_channel, in_channel;  // operands first, the result last
};
ShardingRule conv2d_rule(const Conv2dDims& dims, bool channels);

// The output columns [first, last) for which column `ow * stride + offset` lies inside [0, size).
struct Range {
  int64_t first, last;
};
inline Range inside(int64_t offset, int64_t stride, int64_t size, int64_t count) {
  int64_t first = offset < 0 ? (-offset + stride - 1) / stride : 0;
  int64_t last = offset >= size ? 0 : (size - 1 - offset) / stride + 1;
  return {first, last < count ? last : count};
}

}  // namespace cutset
