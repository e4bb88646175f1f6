// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/onnx_ops/resize_taps.h"

#include <algorithm>
#include <cmath>

namespace cutset::onnx_ops {
namespace {

// Returns the position in the tensor of row `row` of the result, computed in T.
template <class T>
T position_in(const AxisScale& a, ResizePositions positions, int64_t row) {
  const T from = static_cast<T>(a.from), to = static_cast<T>(a.to), r = static_cast<T>(row);
  const T numerator = static_cast<T>(a.numerator), denominator = static_cast<T>(a.denominator);
  const T half = static_cast<T>(0.5), half_pixel = (r + half) * denominator / numerator - half;
  switch (positions) {
    case ResizePositions::kHalfPixel:
      return half_pixel;
    case ResizePositions::kHalfPixelSymmetric:
      return half_pixel + from / 2 * (1 - to / (from * numerator / denominator));
    case ResizePositions::kPytorchHalfPixel:
      return a.to == 1 ? 0 : half_pixel;
    case ResizePositions::kAlignCorners:
      return a.to == 1 ? 0 : r * (from - 1) / (to - 1);
    case ResizePositions::kAsymmetric:
      return r * denominator / numerator;
    case ResizePositions::kTfHalfPixelForNn:
      return (r + half) * denominator / numerator;
    case ResizePositions::kCrop: {
      const T start = static_cast<T>(a.crop_start), part = static_cast<T>(a.crop_end) - start;
      if (a.to == 1) return (start + part / 2) * (from - 1);
      return start * (from - 1) + r * part * (from - 1) / (to - 1);
    }
  }
  return 0;
}

double position_of(const AxisScale& a, const ResizeOptions& o, int64_t row) {
  const bool in_f32 = o.f32_scales && !o.scales.empty() && o.mode == Interpolation::kNearest;
  return in_f32 ? position_in<float>(a, o.positions, row) : position_in<double>(a, o.positions, row);
}

// The fraction of a position is exact in floating point, but the sum of a position and 0.5 may be rounded, so
// the fraction decides which of two rows is nearer.
double nearest_of(double position, NearestPixel nearest) {
  const double below = std::floor(position), part = position - below;
  switch (nearest) {
    case NearestPixel::kRoundPreferFloor:
      return part <= 0.5 ? below : below + 1;
    case NearestPixel::kRoundPreferCeil:
      return part < 0.5 ? below : below + 1;
    case NearestPixel::kFloor:
      return below;
    case NearestPixel::kCeil:
      return std::ceil(position);
  }
  return 0;
}

// Returns the largest distance at which a row has a weight, in rows of the tensor. stretch_of() makes it
// larger if a filter is stretched.
double reach_of(Interpolation mode) { return mode == Interpolation::kCubic ? 2 : 1; }

// Returns the weight of a row at this distance.
double filter(const ResizeOptions& o, double distance) {
  const double d = std::fabs(distance), a = o.cubic_coefficient;
  if (o.mode == Interpolation::kLinear) return std::max(1 - d, 0.0);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// Returns the factor of distances, which is below 1 where a filter is stretched over more rows.
double stretch_of(const AxisScale& a, const ResizeOptions& o) {
  return o.antialias ? std::min(a.numerator / a.denominator, 1.0) : 1;
}

struct Tap {
  int64_t index;
  double weight;
};

std::vector<Tap> taps_at(double position, const AxisScale& a, const ResizeOptions& o) {
  const auto inside = [&](double row) {
    return static_cast<int64_t>(std::clamp(row, 0.0, static_cast<double>(a.from - 1)));
  };
  if (o.mode == Interpolation::kNearest) return {{inside(nearest_of(position, o.nearest)), 1}};
  const double stretch = stretch_of(a, o), reach = reach_of(o.mode) / stretch;
  // All other rows have the weight 0, except for rounding.
  if (stretch == 1 && position == std::floor(position) && position >= 0 &&
      position < static_cast<double>(a.from))
    return {{inside(position), 1}};
  std::vector<Tap> taps;
  double total = 0;
  for (double row = std::floor(position - reach) + 1; row < position + reach; ++row) {
    if (o.exclude_outside && (row < 0 || row >= static_cast<double>(a.from))) continue;
    const double weight = filter(o, (row - position) * stretch);
    total += weight;
    // Rows beyond the border read the row at the border, which then has the sum of their weights.
    if (!taps.empty() && taps.back().index == inside(row))
      taps.back().weight += weight;
    else
      taps.push_back({inside(row), weight});
  }
  if ((o.antialias || o.exclude_outside) && total != 0)
    for (Tap& tap : taps) tap.weight /= total;
  if (taps.empty()) taps.push_back({inside(position), 0});  // all rows are excluded
  return taps;
}

}  // namespace

double most_taps(const AxisScale& a, const ResizeOptions& o) {
  return o.mode == Interpolation::kNearest ? 1 : std::floor(2 * reach_of(o.mode) / stretch_of(a, o)) + 1;
}

AxisTaps taps_of(const AxisScale& a, const ResizeOptions& o) {
  std::vector<std::vector<Tap>> rows;
  AxisTaps all;
  const auto to = static_cast<size_t>(a.to);
  for (size_t r = 0; r < to; ++r) {
    const double position = position_of(a, o, static_cast<int64_t>(r));
    const bool outside = o.positions == ResizePositions::kCrop &&
                         !(position >= 0 && position <= static_cast<double>(a.from - 1));  // NaN is outside
    if (outside && all.outside.empty()) all.outside.resize(to);
    if (outside) all.outside[r] = 1;
    rows.push_back(outside ? std::vector<Tap>{{0, 1}} : taps_at(position, a, o));
    all.taps = std::max(all.taps, static_cast<int64_t>(rows.back().size()));
  }
  all.unchanged = a.from == a.to && all.outside.empty();
  for (size_t t = 0; t < static_cast<size_t>(all.taps); ++t)
    for (size_t r = 0; r < to; ++r) {
      // A row with fewer taps than others repeats its last tap with the weight 0.
      const bool exists = t < rows[r].size();
      all.indices.push_back(static_cast<double>(exists ? rows[r][t].index : rows[r].back().index));
      all.weights.push_back(exists ? rows[r][t].weight : 0);
      all.copies = all.copies && all.taps == 1 && all.weights.back() == 1;
      all.unchanged = all.unchanged && all.copies && all.indices.back() == static_cast<double>(r);
    }
  return all;
}

}  // namespace cutset::onnx_ops
