// SPDX-License-Identifier: Apache-2.0
// The number by which avg_pool divides, for the op's rules and the kernels of the backends.
#pragma once
#include <algorithm>
#include <array>

#include "ir/ops/pooling/pooling_shape.h"

namespace cutset {

// Returns how many elements of the window at `position` count along one axis. These are the elements in the
// image, or, with count_include_pad, the elements in the padded image. With ceil_mode, a window may leave the
// padded image.
inline int64_t counted(const WindowAxis& axis, int64_t position, bool count_include_pad) {
  const Range taps = count_include_pad ? taps_between(axis, position, -axis.before, axis.in + axis.after)
                                       : taps_inside(axis, position);
  return taps.last - taps.first;
}
// Returns the divisor of the window at (z, i, j). It is at least 1.
inline int64_t divisor(const WindowAxes& axes, int64_t z, int64_t i, int64_t j, bool count_include_pad,
                       int64_t divisor_override) {
  if (divisor_override > 0) return divisor_override;
  return std::max<int64_t>(1, counted(axes[0], z, count_include_pad) *
                                  counted(axes[1], i, count_include_pad) *
                                  counted(axes[2], j, count_include_pad));
}

// Calls f(plane, index in the channel of the result, position, divisor) for each window.
template <class F>
void for_each_mean(const PoolShape& s, bool count_include_pad, int64_t divisor_override, F f) {
  const auto& [d, h, w] = s.axes;
  for (int64_t p = 0; p < s.planes(); ++p)
    for (int64_t z = 0, to = 0; z < d.out; ++z)
      for (int64_t i = 0; i < h.out; ++i)
        for (int64_t j = 0; j < w.out; ++j, ++to)
          f(p, to, std::array<int64_t, 3>{z, i, j},
            divisor(s.axes, z, i, j, count_include_pad, divisor_override));
}

}  // namespace cutset
