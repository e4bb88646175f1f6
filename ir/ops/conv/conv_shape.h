// SPDX-License-Identifier: Apache-2.0
// The sizes and the sharding rule of a convolution, for conv, conv_transpose, conv_backward_filter and the
// kernels of the backends.
#pragma once
#include <span>

#include "ir/core/abi_types.h"
#include "ir/core/op/sharding_rule.h"
#include "ir/core/result.h"
#include "ir/core/types.h"
#include "ir/core/window.h"

namespace cutset {

struct ConvShape {
  size_t rank;             // the number of axes of an image, from 1 to 3
  int64_t n, c, o;         // the batch, and the channels of the images and of the result
  int64_t groups, cg, og;  // the number of groups, and the input and output channels per group
  WindowAxes axes;

  // Return the number of elements of a channel of an image, of a channel of the result, and of the filter for
  // one pair of channels.
  int64_t in() const { return product(axes, &WindowAxis::in); }
  int64_t out() const { return product(axes, &WindowAxis::out); }
  int64_t taps() const { return product(axes, &WindowAxis::kernel); }
  Shape images() const { return shape_of({n, c}, axes, &WindowAxis::in, rank); }
  Shape result() const { return shape_of({n, o}, axes, &WindowAxis::out, rank); }
  // Returns the number of multiply-adds, as a double because it may exceed 64 bits.
  double multiply_adds() const {
    return static_cast<double>(n * o) * static_cast<double>(out()) * static_cast<double>(cg * taps());
  }
};

// Fails if the shapes or attributes violate constraint C1, C2, C3 or C4 of conv. Element types are not
// checked.
Result<ConvShape> conv_shape(std::span<const int64_t> x, std::span<const int64_t> filter,
                             const WindowAttributes& window, int64_t groups);
// Does the same for the attribute struct of conv, conv_transpose or conv_backward_filter.
template <class A>
Result<ConvShape> conv_shape_of(const A& a, std::span<const int64_t> x, std::span<const int64_t> filter) {
  return conv_shape(x, filter, {a.stride, a.padding, a.dilation}, a.groups);
}

// The three loops of a convolution that can be split. Each vector has the dimension that the loop runs over,
// or kAbsent, for each operand and then for the result.
struct ConvDims {
  std::vector<int> batch, out_channel, in_channel;
};
// Returns the sharding rule with these loops. `channels` is false if the channels cannot be split, for
// example because there are groups.
ShardingRule conv_rule(const ConvDims& dims, bool channels);

// Calls f(depth, row, column) for each element of the filter.
template <class F>
void for_each_tap(const WindowAxes& axes, F f) {
  for (int64_t m = 0; m < axes[0].kernel; ++m)
    for (int64_t k = 0; k < axes[1].kernel; ++k)
      for (int64_t l = 0; l < axes[2].kernel; ++l) f(m, k, l);
}
// Calls f(index of its first element in a channel of the image, index of its first element in a channel of
// the result) for each row of the result for which the depth `m` and the row `k` of the filter are inside the
// image.
template <class F>
void for_each_row(const WindowAxes& axes, int64_t m, int64_t k, F f) {
  const auto& [d, h, w] = axes;
  const Range layers = inside(d, m), rows = inside(h, k);
  for (int64_t z = layers.first; z < layers.last; ++z)
    for (int64_t i = rows.first; i < rows.last; ++i)
      f((covered(d, z, m) * h.in + covered(h, i, k)) * w.in, (z * h.out + i) * w.out);
}

}  // namespace cutset
