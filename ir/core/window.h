// SPDX-License-Identifier: Apache-2.0
// The axes over which the window of a convolution or of a pooling moves. One to three axes are described as
// three: a missing leading axis has one element and a window of one element. So kernels have the same three
// loops for all ranks.
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "ir/core/abi_types.h"
#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

struct WindowAxis {
  int64_t in = 1, out = 1;        // the elements of the image and the positions of the window
  int64_t kernel = 1;             // the elements of the window
  int64_t stride = 1;             // the distance between two positions
  int64_t before = 0, after = 0;  // the padding before and after the image
  int64_t dilation = 1;           // the distance between two elements of the window

  // Returns the number of elements from the first to the last element of the window. The window must fit.
  int64_t extent() const { return dilation * (kernel - 1) + 1; }
  int64_t padded() const { return before + in + after; }
  // Whether the padded image is at least as large as the window. The comparison uses a division, because the
  // size of a dilated window may exceed 64 bits.
  bool fits() const { return padded() >= 1 && kernel - 1 <= (padded() - 1) / dilation; }
  bool operator==(const WindowAxis&) const = default;
};
// Returns the number of elements from the first element of the padding to the last element of the image or of
// a window. It is larger than padded() if windows leave the padded image.
inline int64_t reach(const WindowAxis& axis) {
  return std::max(axis.before + axis.in, (axis.out - 1) * axis.stride + axis.extent());
}
using WindowAxes = std::array<WindowAxis, 3>;  // depth, rows and columns

// The attributes of a window. `stride` and `dilation` have one number per axis, or are empty, which means 1.
// `padding` has one number per axis for both sides, or one number per axis for the padding before the image
// and then one per axis for the padding after it, or is empty, which means 0.
struct WindowAttributes {
  cutset_i64s stride, padding, dilation;
};

// Returns the strides, padding and dilations of a window over `rank` axes, from 1 to 3, in the last `rank`
// entries. The sizes of the image and the window are not set. Fails with the constraint C2 unless the numbers
// are below 2^20, strides and dilations are positive, and padding is not negative.
Result<WindowAxes> window_axes(size_t rank, const WindowAttributes& attributes);

// Returns one number of each axis.
inline std::array<int64_t, 3> each(const WindowAxes& axes, int64_t WindowAxis::* what) {
  return {axes[0].*what, axes[1].*what, axes[2].*what};
}
// Returns the product of a number over the axes: the number of pixels, or of elements of the window.
inline int64_t product(const WindowAxes& axes, int64_t WindowAxis::* what) {
  return axes[0].*what * axes[1].*what * axes[2].*what;
}
// Returns the numbers of the last `rank` axes as text: "3x5".
std::string text_of(const WindowAxes& axes, int64_t WindowAxis::* what, size_t rank);
// Returns a hint for images whose sizes look like [batch, height, width, channels]: the last size is at most
// 4, and the two sizes before it differ by a factor of at most 4. Returns an empty text for other images.
std::string hint_of_channels(std::span<const int64_t> images);
// Returns `leading` followed by the numbers of the last `rank` axes.
Shape shape_of(Shape leading, const WindowAxes& axes, int64_t WindowAxis::* what, size_t rank);

// The positions [first, last) of a window for which its element `tap` is inside the image.
struct Range {
  int64_t first, last;
};
inline Range inside(const WindowAxis& axis, int64_t tap) {
  const int64_t offset = tap * axis.dilation - axis.before;
  const int64_t first = offset < 0 ? (-offset + axis.stride - 1) / axis.stride : 0;
  const int64_t last = offset >= axis.in ? 0 : (axis.in - 1 - offset) / axis.stride + 1;
  return {first, last < axis.out ? last : axis.out};
}
// Returns the index in the image of element `tap` of the window at a position. The index may be in the
// padding.
inline int64_t covered(const WindowAxis& axis, int64_t position, int64_t tap) {
  return position * axis.stride + tap * axis.dilation - axis.before;
}

// Returns the elements [first, last) of the window at a position that are at indices from `low` to `high` -
// 1. The image has the indices from 0 to in - 1.
inline Range taps_between(const WindowAxis& axis, int64_t position, int64_t low, int64_t high) {
  const int64_t start = covered(axis, position, 0);
  const int64_t first = start >= low ? 0 : (low - start + axis.dilation - 1) / axis.dilation;
  const int64_t last = start >= high ? 0 : (high - start - 1) / axis.dilation + 1;
  return {first, std::max(first, std::min(axis.kernel, last))};
}
inline Range taps_inside(const WindowAxis& axis, int64_t position) {
  return taps_between(axis, position, 0, axis.in);
}

}  // namespace cutset
