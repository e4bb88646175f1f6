// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/images/sample_images.h"

#include <cutset/constants.h>

#include <algorithm>
#include <cmath>

namespace cutset {
namespace {

using Where = std::source_location;

// The arithmetic of tensors with numbers, for one line of the user's program.
class Arithmetic {
 public:
  Arithmetic(const Tensor& like, Where source) : like_(like), source_(source) {}
  Tensor number(double n) const { return constant(like_, Number(n, source_)); }
  Tensor plus(const Tensor& x, double n) const { return n == 0 ? x : add(x, number(n), source_); }
  Tensor times(const Tensor& x, double n) const { return n == 1 ? x : mul(x, number(n), source_); }
  Tensor limited(const Tensor& x, double low, double high) const {
    return clip(x, number(low), number(high), source_);
  }

 private:
  const Tensor& like_;
  Where source_;
};

// Mirrors the position at both ends of the image until it is between them: a triangular wave.
Tensor reflected(const Tensor& position, const AxisSampling& axis, Where source) {
  const Arithmetic a(position, source);
  const double low = axis.align_corners ? 0 : -0.5;
  const double span = static_cast<double>(axis.size) - (axis.align_corners ? 1 : 0);
  if (span == 0) return a.limited(position, 0, 0);
  const Tensor from_low = a.plus(position, -low);
  const Tensor waves = floor(a.times(from_low, 1 / (2 * span)), source);
  const Tensor in_wave = sub(from_low, a.times(waves, 2 * span), source);
  return a.plus(neg(abs(a.plus(in_wave, -span), source), source), span + low);
}

// Returns the position where kCubic reads pixels if it moves positions inside.
Tensor moved_inside(const Tensor& position, const AxisSampling& axis, Where source) {
  const Arithmetic a(position, source);
  const double last = static_cast<double>(axis.size - 1), edge = axis.align_corners ? 0 : 0.5;
  const Tensor outside = bitwise_or(less(position, a.number(-edge), source),
                                    greater(position, a.number(last + edge), source), source);
  const Tensor inside =
      axis.border == BorderMode::kBorder ? a.limited(position, 0, last) : reflected(position, axis, source);
  return cutset::where(outside, inside, position, source);
}

// Returns the pixel at a position that is a whole number.
AxisPixel pixel_at(const Tensor& position, Tensor weight, const AxisSampling& axis, Where source) {
  const Arithmetic a(position, source);
  const double last = static_cast<double>(axis.size - 1);
  if (axis.border == BorderMode::kZeros) {
    // The comparisons are false for NaN, so that its weight stays NaN.
    const Tensor outside =
        bitwise_or(less(position, a.number(0), source), greater(position, a.number(last), source), source);
    weight = cutset::where(outside, a.number(0), weight, source);
  }
  const Tensor inside = axis.border == BorderMode::kReflection ? reflected(position, axis, source) : position;
  return {cast(a.limited(inside, 0, last), {.dtype = DType::i32}, source), weight};
}

// Returns the weights of the pixels at -1, 0, 1 and 2, where t is the distance from pixel 0 (Keys, 1981,
// equation 4).
std::vector<Tensor> cubic_weights(const Tensor& t, Where source) {
  constexpr double kA = -0.75;
  const Arithmetic a(t, source);
  const auto near = [&](const Tensor& d) {  // ((A + 2) d - (A + 3)) d d + 1
    return a.plus(mul(mul(a.plus(a.times(d, kA + 2), -(kA + 3)), d, source), d, source), 1);
  };
  const auto far = [&](const Tensor& d) {  // ((A d - 5 A) d + 8 A) d - 4 A
    return a.plus(mul(a.plus(mul(a.plus(a.times(d, kA), -5 * kA), d, source), 8 * kA), d, source), -4 * kA);
  };
  const Tensor rest = a.plus(neg(t, source), 1);
  return {far(a.plus(t, 1)), near(t), near(rest), far(a.plus(rest, 1))};
}

}  // namespace

std::vector<AxisPixel> pixels_at(const Tensor& position, const AxisSampling& axis, Where source) {
  const Arithmetic a(position, source);
  const double size = static_cast<double>(axis.size);
  // All pixels of positions that are farther away are outside of the image. The limit keeps infinity from
  // giving NaN.
  Tensor at = axis.border == BorderMode::kReflection ? position : a.limited(position, -3, size + 2);
  if (axis.mode != Interpolation::kCubic && axis.border == BorderMode::kReflection)
    at = reflected(at, axis, source);
  if (axis.mode != Interpolation::kCubic && axis.border != BorderMode::kZeros)
    at = a.limited(at, 0, size - 1);
  if (axis.mode == Interpolation::kCubic && axis.moves_inside && axis.border != BorderMode::kZeros)
    at = moved_inside(at, axis, source);
  if (axis.mode == Interpolation::kNearest) {
    const Tensor one =
        cutset::where(cutset::equal(at, at, source), a.number(1), a.number(std::nan("")), source);
    return {pixel_at(round(at, source), one, axis, source)};
  }
  const Tensor first = floor(at, source), t = sub(at, first, source);
  std::vector<AxisPixel> pixels;
  if (axis.mode == Interpolation::kLinear) {
    pixels.push_back(pixel_at(first, a.plus(neg(t, source), 1), axis, source));
    pixels.push_back(pixel_at(a.plus(first, 1), t, axis, source));
    return pixels;
  }
  double offset = -1;
  for (const Tensor& weight : cubic_weights(t, source))
    pixels.push_back(pixel_at(a.plus(first, offset++), weight, axis, source));
  return pixels;
}

std::vector<AxisPixel> combined(const std::vector<std::vector<AxisPixel>>& axes,
                                const std::vector<int64_t>& sizes, Where source) {
  std::vector<AxisPixel> all = axes[0];
  for (size_t d = 1; d < axes.size(); ++d) {
    std::vector<AxisPixel> longer;
    for (const AxisPixel& outer : all) {
      const Tensor rows = mul(outer.index, constant(outer.index, Number(sizes[d], source)), source);
      for (const AxisPixel& inner : axes[d])
        longer.push_back({add(rows, inner.index, source), mul(outer.weight, inner.weight, source)});
    }
    all = std::move(longer);
  }
  return all;
}

Tensor sampled(const Tensor& x, const std::vector<Tensor>& positions, const GridSampleOptions& o,
               Where source) {
  const std::vector<int64_t> sizes(x.shape().begin() + 2, x.shape().end());
  std::vector<std::vector<AxisPixel>> axes;
  int64_t pixels = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    axes.push_back(
        pixels_at(positions[d], {sizes[d], o.mode, o.border, o.align_corners, o.moves_inside}, source));
    pixels *= sizes[d];
  }
  const int64_t channels = x.shape()[1], samples = positions[0].shape()[1];
  const Tensor flat = reshape(x, {.shape = {0, channels, pixels}}, source);
  // gather_elements reads each image by itself, so that a batch that is divided over devices stays divided.
  // Adding zeros of the shape [n, c, 1] repeats the indices of an image for each channel. So no attribute has
  // to hold the size of the batch.
  const Tensor one = ops::slice(flat, {.axis = 2, .start = 0, .length = 1}, source);
  const Tensor zeros = ops::full_like(cast(one, {.dtype = DType::i32}, source), {.value = 0}, source);
  Tensor sum;
  for (const AxisPixel& pixel : combined(axes, sizes, source)) {
    const auto for_channels = [&](const Tensor& t) { return reshape(t, {.shape = {0, 1, samples}}, source); };
    const Tensor index = add(for_channels(pixel.index), zeros, source);
    const Tensor weight = for_channels(weight_as(pixel.weight, x.dtype(), source));
    const Tensor part = mul(gather_elements(flat, index, {.axis = 2}, source), weight, source);
    sum = sum.defined() ? add(sum, part, source) : part;
  }
  return sum;
}

Tensor exact_positions(const Tensor& positions, Where source) {
  return size_of(positions.dtype()) < 4 ? cast(positions, {.dtype = DType::f32}, source) : positions;
}
Tensor weight_as(const Tensor& weight, DType dtype, Where source) {
  return weight.dtype() == dtype ? weight : cast(weight, {.dtype = dtype}, source);
}

std::vector<int64_t> image_sizes(const Tensor& x, const char* function, Where source) {
  if (x.type().rank() < 3 || x.type().rank() > 5 || !is_float(x.dtype()))
    refuse(x, function, "images [n, c, ...] of one to three axes and a floating-point type", source);
  const std::vector<int64_t> sizes(x.shape().begin() + 2, x.shape().end());
  int64_t pixels = x.shape()[1] > 0 ? 1 : 0;
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  for (const int64_t size : sizes)
    pixels = size > kMost / std::max<int64_t>(pixels, 1) ? kMost + 1 : pixels * size;
  if (pixels < 1 || pixels > kMost)
    refuse(x, function, "one channel or more, and from 1 to 2^31 - 1 pixels per channel", source);
  return sizes;
}

}  // namespace cutset
