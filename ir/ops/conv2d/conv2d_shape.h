// The sizes and the sharding rule of a convolution, for conv2d, its two backward ops and the kernels of the backends.
#pragma once
#include <span>

#include "ir/core/abi_types.h"
#include "ir/core/result.h"
#include "ir/core/sharding_rule.h"
#include "ir/core/types.h"

namespace cutset {

struct Conv2dShape {
  int64_t n, c, h, w;                      // the images: batch, channels, rows, columns
  int64_t o, oh, ow;                       // the result: channels, rows, columns
  int64_t groups, cg, og;                  // the number of groups, and the input and output channels per group
  int64_t kh, kw, sh, sw, ph, pw, dh, dw;  // filter, stride, padding and dilation, each for rows and columns

  // The number of multiply-adds, as a double because it may exceed 64 bits.
  double multiply_adds() const {
    return static_cast<double>(n * o) * static_cast<double>(oh * ow) * static_cast<double>(cg * kh * kw);
  }
};

// Fails if the shapes or attributes violate constraint C1, C2, C3 or C4 of conv2d. Element types are not checked.
Result<Conv2dShape> conv2d_shape(std::span<const int64_t> x, std::span<const int64_t> filter, cutset_i64s stride,
                                 cutset_i64s padding, cutset_i64s dilation, int64_t groups);

// The three loops of a convolution that can be split. Each vector has the dimension that the loop runs over in each
// operand, and then in the result, or kAbsent.
struct Conv2dDims {
  std::vector<int> batch, out_channel, in_channel;
};
// The sharding rule with these loops. `channels` is false if the channels cannot be split, for example because
// there are groups.
ShardingRule conv2d_rule(const Conv2dDims& dims, bool channels);

// The indices [first, last) of the result, among the first `count`, for which index * stride + offset is in [0, size).
struct Range {
  int64_t first, last;
};
inline Range inside(int64_t offset, int64_t stride, int64_t size, int64_t count) {
  int64_t first = offset < 0 ? (-offset + stride - 1) / stride : 0;
  int64_t last = offset >= size ? 0 : (size - 1 - offset) / stride + 1;
  return {first, last < count ? last : count};
}

}  // namespace cutset
