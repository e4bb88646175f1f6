// SPDX-License-Identifier: Apache-2.0
// Passes the sizes of a window to the kernels of convolutions and poolings.
#pragma once
#include "backends/portable/launches.h"
#include "ir/core/window.h"

namespace cutset::portable {

// Names for the components of an int8 with the sizes of an axis: with `int8 h` as a parameter, h.STRIDE is
// the stride of rows. ir/core/window.h has the same functions.
inline constexpr const char* kWindow = R"(
#define SIZE s0
#define RESULT s1
#define TAPS s2
#define STRIDE s3
#define BEFORE s4
#define DILATION s5
#define AFTER s6
// The index in the image that element t of the window at position i covers, and whether it is inside the
// image.
#define COVERED(axis, i, t) ((i) * axis.STRIDE - axis.BEFORE + (t) * axis.DILATION)
#define INSIDE(axis, at) ((at) >= 0 && (at) < axis.SIZE)
// Returns the first element of the window at position i whose index in the image is at least `low`.
FUNCTION int first_tap(int8 axis, int i, int low) {
  int start = COVERED(axis, i, 0);
  return start >= low ? 0 : (low - start + axis.DILATION - 1) / axis.DILATION;
}
// Returns the number of elements of the window at position i whose index in the image is less than `high`.
FUNCTION int last_tap(int8 axis, int i, int high) {
  int start = COVERED(axis, i, 0), last = start >= high ? 0 : (high - start - 1) / axis.DILATION + 1;
  return last < axis.TAPS ? last : axis.TAPS;
}
// Return the first position of a window that may cover index `at` of the image, and the position after the
// last one.
FUNCTION int first_position(int8 axis, int at) {
  int behind = at + axis.BEFORE - axis.DILATION * (axis.TAPS - 1);
  return behind <= 0 ? 0 : (behind - 1) / axis.STRIDE + 1;
}
FUNCTION int last_position(int8 axis, int at) {
  int last = (at + axis.BEFORE) / axis.STRIDE + 1;
  return last < axis.RESULT ? last : axis.RESULT;
}
// Runs the next statement for each element (m, k, l) of the window at position (z, i, j) that is inside the
// image. IN_WINDOW is the index of this element in the channel.
#define FOR_EACH_TAP                                                                  \
  for (int m = first_tap(d, z, 0), end_m = last_tap(d, z, d.SIZE); m < end_m; m++)    \
    for (int k = first_tap(h, i, 0), end_k = last_tap(h, i, h.SIZE); k < end_k; k++)  \
      for (int l = first_tap(w, j, 0), end_l = last_tap(w, j, w.SIZE); l < end_l; l++)
#define IN_WINDOW ((COVERED(d, z, m) * h.SIZE + COVERED(h, i, k)) * w.SIZE + COVERED(w, j, l))
// Runs the next statement for each position (z, i, j) of a window that may cover the element (q, r, c) of a
// channel. AT_POSITION is the index of the result for this position in the channel.
#define FOR_EACH_POSITION                                                                \
  for (int z = first_position(d, q), end_z = last_position(d, q); z < end_z; z++)        \
    for (int i = first_position(h, r), end_i = last_position(h, r); i < end_i; i++)      \
      for (int j = first_position(w, c), end_j = last_position(w, c); j < end_j; j++)
#define AT_POSITION ((z * h.RESULT + i) * w.RESULT + j)
)";
// Returns the argument for an int8 with the sizes of an axis. Its member too_large is true if an index of the
// padded image does not fit into 32 bits.
inline Argument sizes_of(const WindowAxis& axis) {
  Argument argument = Argument::Vector{
      {static_cast<int32_t>(axis.in), static_cast<int32_t>(axis.out), static_cast<int32_t>(axis.kernel),
       static_cast<int32_t>(axis.stride), static_cast<int32_t>(axis.before),
       static_cast<int32_t>(axis.dilation), static_cast<int32_t>(axis.after)}};
  argument.too_large = axis.padded() + axis.stride > INT32_MAX;
  return argument;
}

}  // namespace cutset::portable
