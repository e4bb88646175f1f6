// SPDX-License-Identifier: Apache-2.0
#include "ir/core/window.h"

namespace cutset {

Result<WindowAxes> window_axes(size_t rank, const WindowAttributes& attributes) {
  const auto fits = [&](cutset_i64s v, int64_t low, bool two_sides) {
    if (v.size != 0 && v.size != rank && !(two_sides && v.size == 2 * rank)) return false;
    for (size_t i = 0; i < v.size; ++i)
      if (v.data[i] < low || v.data[i] >= (1 << 20)) return false;
    return true;
  };
  const auto list = [](cutset_i64s v) { return to_string(Shape(v.data, v.data + v.size)); };
  const auto& [stride, padding, dilation] = attributes;
  if (!fits(stride, 1, false) || !fits(dilation, 1, false) || !fits(padding, 0, true))
    return invalid_argument(
        "C2: stride and dilation must have one positive number for each of the " + std::to_string(rank) +
        " axes, and padding one or two numbers that are not negative, all below 2^20; stride is " +
        list(stride) + ", dilation " + list(dilation) + " and padding " + list(padding));
  WindowAxes axes{};
  for (size_t i = 0; i < rank; ++i) {
    WindowAxis& axis = axes[axes.size() - rank + i];
    if (stride.size) axis.stride = stride.data[i];
    if (dilation.size) axis.dilation = dilation.data[i];
    if (padding.size) {
      axis.before = padding.data[i];
      axis.after = padding.data[padding.size - rank + i];
    }
  }
  return axes;
}

std::string hint_of_channels(std::span<const int64_t> images) {
  constexpr int64_t kMostColours = 4, kMostOblong = 4;
  if (images.size() != 4 || images[3] > kMostColours) return "";
  const auto [less, more] = std::minmax(images[1], images[2]);
  // The last feature maps of a network have many channels and few rows and columns. Such sizes are not a
  // mistake.
  if (less <= kMostColours || more / less > kMostOblong) return "";
  return "images are [batch, channels, height, width], and these seem to have their channels last; "
         "transpose(x, {0, "
         "3, 1, 2}) moves them";
}

std::string text_of(const WindowAxes& axes, int64_t WindowAxis::* what, size_t rank) {
  std::string text;
  for (size_t i = axes.size() - rank; i < axes.size(); ++i)
    text += (text.empty() ? "" : "x") + std::to_string(axes[i].*what);
  return text;
}

Shape shape_of(Shape leading, const WindowAxes& axes, int64_t WindowAxis::* what, size_t rank) {
  for (size_t i = axes.size() - rank; i < axes.size(); ++i) leading.push_back(axes[i].*what);
  return leading;
}

}  // namespace cutset
