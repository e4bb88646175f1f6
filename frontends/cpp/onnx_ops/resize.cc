// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/onnx_ops/resize.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/number_list.h"
#include "frontends/cpp/onnx_ops/resize_taps.h"

namespace cutset::onnx_ops {
namespace {

using Where = std::source_location;

// The largest number of taps of an axis, so that constants of the program hold them.
constexpr int64_t kMostTaps = int64_t{1} << 20;

// Returns a list [n] for the dimension `axis` of a tensor of rank `rank`.
Tensor along(const Tensor& list, int64_t axis, int64_t rank, Where source) {
  std::vector<int64_t> shape(static_cast<size_t>(rank - axis), 1);
  shape[0] = list.shape()[0];
  return reshape(list, {.shape = shape}, source);
}

// Sums over taps. A product with a matrix of weights would spread NaN to all rows, because of its zeros.
Tensor resized_axis(const Tensor& x, int64_t axis, const AxisTaps& taps, Where source) {
  if (taps.unchanged) return x;
  const auto rows = static_cast<int64_t>(taps.indices.size()) / taps.taps;
  const Tensor indices = list_of(x.graph(), taps.indices, DType::i64, source);
  if (taps.copies) return gather(x, indices, {.axis = axis}, source);
  if (!is_float(x.dtype()))
    refuse(x, "resize", "a floating-point type for weighted sums of rows", source, "cast it");
  const Tensor parts =
      gather(x, reshape(indices, {.shape = {taps.taps, rows}}, source), {.axis = axis}, source);
  std::vector<int64_t> shape(static_cast<size_t>(x.type().rank() - axis + 1), 1);
  shape[0] = taps.taps;
  shape[1] = rows;
  const Tensor weights =
      reshape(list_of(x.graph(), taps.weights, x.dtype(), source), {.shape = shape}, source);
  return ops::reduce_sum(mul(parts, weights, source), {.axes = {axis}}, source);
}

// Returns the new size of an axis. Throws if taps cannot be computed for the size.
int64_t size_of_axis(const Tensor& x, int64_t axis, double size, Where source) {
  if (!(size >= 0 && size < static_cast<double>(kMostTaps) + 1))
    refuse(x, "resize",
           "new sizes from 0 to 2^20, not " + std::to_string(size) + " for dimension " + std::to_string(axis),
           source);
  return static_cast<int64_t>(size);
}

// Returns which of the axes has the scale that all axes get.
size_t chosen_axis(const std::vector<AxisScale>& axes, AspectRatio ratio) {
  const auto less = [](const AxisScale& a, const AxisScale& b) {
    return a.numerator / a.denominator < b.numerator / b.denominator;
  };
  const auto at = ratio == AspectRatio::kNotLarger ? std::min_element(axes.begin(), axes.end(), less)
                                                   : std::max_element(axes.begin(), axes.end(), less);
  return static_cast<size_t>(at - axes.begin());
}

void require_options(const Tensor& x, const ResizeOptions& o, size_t axes, Where source) {
  const auto require = [&](bool holds, const char* needs) {
    if (!holds) refuse(x, "resize", needs, source);
  };
  require(o.sizes.empty() != o.scales.empty() || axes == 0, "either sizes or scales");
  require(o.sizes.size() == axes || o.scales.size() == axes, "one size or scale per axis");
  require(o.aspect_ratio == AspectRatio::kStretch || o.scales.empty(),
          "sizes, not scales, for an aspect ratio");
  require(std::all_of(o.scales.begin(), o.scales.end(), [](double s) { return s > 0 && std::isfinite(s); }),
          "scales that are positive and finite");
  constexpr double kLargest = std::numeric_limits<float>::max();
  require(
      !o.f32_scales || std::all_of(o.scales.begin(), o.scales.end(), [](double s) { return s <= kLargest; }),
      "scales of f32");
  require(std::all_of(o.sizes.begin(), o.sizes.end(), [](int64_t s) { return s >= 0 && s <= kMostTaps; }),
          "sizes from 0 to 2^20");
  require(!o.antialias || o.mode != Interpolation::kNearest, "the mode kLinear or kCubic for antialias");
  require(std::isfinite(o.cubic_coefficient) && std::fabs(o.cubic_coefficient) < 1e6,
          "a cubic coefficient below 10^6");
  if (o.positions != ResizePositions::kCrop) return;
  require(o.crop_start.size() == axes && o.crop_end.size() == axes,
          "one crop_start and one crop_end per axis");
  const auto finite = [](double v) { return std::isfinite(v); };
  require(std::all_of(o.crop_start.begin(), o.crop_start.end(), finite) &&
              std::all_of(o.crop_end.begin(), o.crop_end.end(), finite),
          "crop_start and crop_end that are finite");
}

// Returns the scale of each axis.
std::vector<AxisScale> scales_of(const Tensor& x, const ResizeOptions& o, const std::vector<int64_t>& axes,
                                 Where source) {
  std::vector<AxisScale> all;
  for (size_t i = 0; i < axes.size(); ++i) {
    AxisScale a{.from = x.shape()[static_cast<size_t>(axes[i])]};
    if (o.positions == ResizePositions::kCrop) {
      a.crop_start = o.crop_start[i];
      a.crop_end = o.crop_end[i];
    }
    if (o.scales.empty()) {
      a.to = o.sizes[i];
      a.numerator = static_cast<double>(a.to);
      a.denominator = static_cast<double>(a.from);
    } else {
      a.numerator = o.scales[i];
      const double part = a.crop_end - a.crop_start, rows = static_cast<double>(a.from);
      a.to = size_of_axis(x, axes[i],
                          std::floor(o.f32_scales ? static_cast<float>(rows) * static_cast<float>(part) *
                                                        static_cast<float>(a.numerator)
                                                  : rows * part * a.numerator),
                          source);
    }
    if (a.from == 0 && a.to > 0) refuse(x, "resize", "a row in dimension " + std::to_string(axes[i]), source);
    all.push_back(a);
  }
  if (o.aspect_ratio == AspectRatio::kStretch || all.empty()) return all;
  for (const AxisScale& a : all)
    if (a.from == 0) refuse(x, "resize", "rows in all axes to keep the aspect ratio", source);
  const AxisScale chosen = all[chosen_axis(all, o.aspect_ratio)];
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].numerator = chosen.numerator;
    all[i].denominator = chosen.denominator;
    const double size = static_cast<double>(all[i].from) * chosen.numerator / chosen.denominator;
    all[i].to = size_of_axis(x, axes[i], std::floor(size + 0.5), source);
  }
  return all;
}

// Returns the order in which the axes are resized. Rows of the outermost axis are copied in one piece, so
// this axis is the first if it shrinks the tensor, and the last if it enlarges the tensor.
std::vector<size_t> order_of(const std::vector<int64_t>& axes, const std::vector<AxisScale>& scales) {
  std::vector<size_t> order(axes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto rank_of = [&](size_t i) {
    const bool larger = scales[i].to > scales[i].from;
    return std::pair(larger, larger ? -axes[i] : axes[i]);
  };
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return rank_of(i) < rank_of(j); });
  return order;
}

}  // namespace

Tensor resize(const Tensor& x, const ResizeOptions& o, Where source) {
  const auto again = [x = kept(x), o, source](const Counterpart& now) { return resize(now(x), o, source); };
  const auto build = [&](const Tensor& x) {
    std::vector<int64_t> axes;
    for (const int64_t axis : o.axes) axes.push_back(axis_of(x, "resize", axis, source));
    if (axes.empty())
      for (int64_t d = 0; d < x.type().rank(); ++d) axes.push_back(d);
    for (size_t i = 0; i < axes.size(); ++i)
      if (std::count(axes.begin(), axes.end(), axes[i]) > 1) refuse(x, "resize", "axes that differ", source);
    require_options(x, o, axes.size(), source);
    const std::vector<AxisScale> scales = scales_of(x, o, axes, source);
    std::vector<Tensor> outside;  // conditions that broadcast to the result
    Tensor y = x;
    for (const size_t i : order_of(axes, scales)) {
      if (scales[i].to == 0) {
        y = ops::slice(y, {.axis = axes[i], .start = 0, .length = 0}, source);
        continue;
      }
      if (most_taps(scales[i], o) * static_cast<double>(scales[i].to) > static_cast<double>(kMostTaps) * 8)
        refuse(x, "resize", "fewer rows under the filter of dimension " + std::to_string(axes[i]), source);
      const AxisTaps taps = taps_of(scales[i], o);
      if (static_cast<int64_t>(taps.indices.size()) > kMostTaps)
        refuse(x, "resize", "at most 2^20 taps in dimension " + std::to_string(axes[i]), source);
      y = resized_axis(y, axes[i], taps, source);
      if (taps.outside.empty()) continue;
      const Tensor flags = list_of(x.graph(), taps.outside, DType::i32, source);
      outside.push_back(along(greater(flags, constant(flags, Number(0, source)), source), axes[i],
                              x.type().rank(), source));
    }
    for (const Tensor& condition : outside)
      y = cutset::where(condition, constant(y, Number(o.extrapolation_value, source)), y, source);
    return y;
  };
  // The mode kNearest copies rows.
  return o.mode == Interpolation::kNearest ? compose(x, "resize", source, again, [&] { return build(x); })
                                           : compose_in_f32(x, "resize", source, again, std::tie(x), build);
}

}  // namespace cutset::onnx_ops
