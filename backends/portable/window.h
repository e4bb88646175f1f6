// SPDX-License-Identifier: Apache-2.0
// How the kernels of convolutions and poolings take the sizes of a window.
#pragma once
#include "backends/portable/launches.h"
#include "ir/core/window.h"

namespace cutset::portable {

// Names for the components of an int8 with the sizes of an axis: with `int8 h` as a parameter, h.STRIDE is
// the stride of rows. The functions are those of ir/core/window.h.
inline constexpr const char* kWindow = R"(
#define SIZE s0
#define RESULT s1
#define TAPS s2
#define STRIDE s3
#define BEFORE s4
#define DILATION s5
#define AFTER s6
// The index in the image of element t of the window at position i, and whether it is inside the image.
#define COVERED(axis, i, t) ((i) * axis.STRIDE - axis.BEFORE + (t) * axis.DILATION)
#define INSIDE(axis, at) ((at) >= 0 && (at) < axis.SIZE)
// The first element of the window at position i that is at `low` or behind it.
FUNCTION int first_tap(int8 axis, int i, int low) {
  int start = COVERED(axis, i, 0);
  return start >= low ? 0 : (low - start + axis.DILATION - 1) / axis.DILATION;
}
// The number of elements of the window at position i that are before `high`.
FUNCTION int last_tap(int8 axis, int i, int high) {
  int start = COVERED(axis, i, 0), last = start >= high ? 0 : (high - start - 1) / axis.DILATION + 1;
  return last < axis.TAPS ? last : axis.TAPS;
}
// The first position of a window that may cover index `at` of the image, and the number of positions up to the last one.
FUNCTION int first_position(int8 axis, int at) {
  int behind = at + axis.BEFORE - axis.DILATION * (axis.TAPS - 1);
  return behind <= 0 ? 0 : (behind - 1) / axis.STRIDE + 1;
}
FUNCTION int last_position(int8 axis, int at) {
  int last = (at + axis.BEFORE) / axis.STRIDE + 1;
  return last < axis.RESULT ? last : axis.RESULT;
}
)";
// The argument for such a parameter. It is too large if an index of the padded image does not fit into 32
// bits.
inline Argument sizes_of(const WindowAxis& axis) {
  Argument argument = Argument::Vector{
      {static_cast<int32_t>(axis.in), static_cast<int32_t>(axis.out), static_cast<int32_t>(axis.kernel),
       static_cast<int32_t>(axis.stride), static_cast<int32_t>(axis.before),
       static_cast<int32_t>(axis.dilation), static_cast<int32_t>(axis.after)}};
  argument.too_large = axis.padded() + axis.stride > INT32_MAX;
  return argument;
}

}  // namespace cutset::portable
