// SPDX-License-Identifier: Apache-2.0
// The sizes of a pooling, and a loop over the windows of a maximum.
#pragma once
#include <span>

#include "ir/core/abi_types.h"
#include "ir/core/op/sharding_rule.h"
#include "ir/core/result.h"
#include "ir/core/types.h"
#include "ir/core/window.h"

namespace cutset {

struct PoolShape {
  size_t rank;   // the number of axes of an image, from 1 to 3
  int64_t n, c;  // the batch and the channels; each channel of an image is pooled separately
  WindowAxes axes;

  int64_t planes() const { return n * c; }
  // Return the number of elements of a channel of an image and of the result.
  int64_t in() const { return product(axes, &WindowAxis::in); }
  int64_t out() const { return product(axes, &WindowAxis::out); }
  int64_t taps() const { return product(axes, &WindowAxis::kernel); }
  Shape result() const { return shape_of({n, c}, axes, &WindowAxis::out, rank); }
};
// Fails if the shape of the images or the attributes violate constraint C1, C2 or C3 of max_pool. The element
// type is not checked. If there is no stride, the stride is the size of the window.
Result<PoolShape> pool_shape(std::span<const int64_t> x, cutset_i64s kernel, const WindowAttributes& window,
                             bool ceil_mode);
// Returns the same for the attribute struct of a pooling.
template <class A>
Result<PoolShape> pool_shape_of(const A& a, std::span<const int64_t> x) {
  return pool_shape(x, a.kernel, {a.stride, a.padding, a.dilation}, a.ceil_mode != 0);
}

// Returns the sharding rule of a pooling with `operands` operands of rank `rank`: factors for the batch and
// the channels. Shards of other axes would need the elements that windows share.
ShardingRule pooling_rule(size_t operands, size_t rank);

// Calls f(index in x) for each element of the window at the position (z, i, j) that is not in the padding. x
// is a channel of an image.
template <class F>
void for_each_in_window(const WindowAxes& axes, int64_t z, int64_t i, int64_t j, F f) {
  const auto& [d, h, w] = axes;
  const Range depths = taps_inside(d, z), rows = taps_inside(h, i), columns = taps_inside(w, j);
  for (int64_t m = depths.first; m < depths.last; ++m)
    for (int64_t k = rows.first; k < rows.last; ++k)
      for (int64_t l = columns.first; l < columns.last; ++l)
        f((covered(d, z, m) * h.in + covered(h, i, k)) * w.in + covered(w, j, l));
}

// Calls f(index of the first element of a row of x, element of the window along the columns) for each element
// of the windows at the positions (z, i, ...) whose depth and row are inside the image, in the order of the
// elements.
template <class F>
void for_each_row_of_windows(const WindowAxes& axes, int64_t z, int64_t i, F f) {
  const auto& [d, h, w] = axes;
  const Range depths = taps_inside(d, z), rows = taps_inside(h, i);
  for (int64_t m = depths.first; m < depths.last; ++m)
    for (int64_t k = rows.first; k < rows.last; ++k)
      for (int64_t l = 0; l < w.kernel; ++l) f((covered(d, z, m) * h.in + covered(h, i, k)) * w.in, l);
}

// Calls f(plane, index in the channel of the result, index in the channel of x of the maximum) for each
// window. The first of several equal maxima counts, and NaN is larger than every number. The index of a
// window without elements is -1.
template <class T, class F>
void for_each_maximum(const PoolShape& s, const T* x, F f) {
  const auto& [d, h, w] = s.axes;
  for (int64_t p = 0; p < s.planes(); ++p, x += s.in())
    for (int64_t z = 0, to = 0; z < d.out; ++z)
      for (int64_t i = 0; i < h.out; ++i)
        for (int64_t j = 0; j < w.out; ++j, ++to) {
          int64_t best = -1;
          for_each_in_window(s.axes, z, i, j, [&](int64_t at) {
            if (best < 0 || x[at] > x[best] || (x[at] != x[at] && x[best] == x[best])) best = at;
          });
          f(p, to, best);
        }
}

}  // namespace cutset
