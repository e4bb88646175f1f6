// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/onnx_ops/roi_align.h>
#include <cutset/shapes.h>

#include <algorithm>
#include <cmath>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/images/sample_images.h"
#include "frontends/cpp/functional/mean_sample_weights.h"
#include "frontends/cpp/functional/number_list.h"

namespace cutset::onnx_ops {
namespace {

using Where = std::source_location;

constexpr int64_t kMostSamples = 1 << 16;  // the largest number of samples of a region along an axis

void require_operands(const Tensor& x, const Tensor& regions, const Tensor& images, const RoiAlignOptions& o,
                      Where source) {
  require_tensor(regions, "roi_align", source);
  require_tensor(images, "roi_align", source);
  const auto require = [&](bool holds, const std::string& needs) {
    if (!holds) refuse(x, "roi_align", needs, source);
  };
  require(x.type().rank() == 4, "images [n, c, h, w]");
  require(regions.type().rank() == 2 && regions.shape()[1] == 4 && regions.dtype() == x.dtype(),
          "regions [r, 4] of its type, not " + to_string(regions.type()));
  require(images.type().rank() == 1 && images.shape()[0] == regions.shape()[0] &&
              (images.dtype() == DType::i32 || images.dtype() == DType::i64),
          "the number of an image per region, i32 or i64 [r], not " + to_string(images.type()));
  const std::vector<int64_t> sizes = o.output_size.list(2);
  require(sizes.size() == 2, "one or two output sizes");
  for (const int64_t size : sizes)
    require(
        size >= 1 && o.sampling_ratio >= 0 && size <= kMostSamples / std::max<int64_t>(o.sampling_ratio, 1),
        "output sizes from 1 on and a sampling ratio from 0 on, with products of at most 2^16");
  require(o.sampling_ratio > 0 || o.pooling == RoiPooling::kMean,
          "a sampling ratio from 1 on for the maximum of samples");
  require(std::isfinite(o.spatial_scale), "a finite spatial scale");
}

// The begin and the length of the regions along an axis of the images, in pixels, [r, 1].
struct Extent {
  Tensor begin, length;
};
Extent extent_of(const Tensor& regions, int64_t axis, const RoiAlignOptions& o, Where source) {
  const auto number = [&](double n) { return constant(regions, Number(n, source)); };
  const auto bound = [&](int64_t column) {
    return mul(ops::slice(regions, {.axis = 1, .start = column, .length = 1}, source),
               number(o.spatial_scale), source);
  };
  const Tensor low = bound(1 - axis), length = sub(bound(3 - axis), low, source);
  return {o.aligned ? sub(low, number(0.5), source) : low,
          o.aligned ? length : maximum(length, number(1), source)};
}

// Returns the pixels along one axis of the samples of each region, [r, samples]: sample i is (i + 0.5) /
// ratio elements of the result after the begin of its region.
std::vector<AxisPixel> pixels_of(const Tensor& given, int64_t axis, int64_t size, int64_t elements,
                                 const RoiAlignOptions& o, Where source) {
  const Extent extent = extent_of(given, axis, o, source);
  const auto number = [&](double n) { return constant(extent.begin, Number(n, source)); };
  std::vector<double> places;
  for (int64_t i = 0; i < elements * o.sampling_ratio; ++i)
    places.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(elements * o.sampling_ratio));
  const Tensor at = list_of(given.graph(), places, extent.begin.dtype(), source);
  const Tensor position = add(extent.begin, mul(extent.length, at, source), source);
  // Samples up to one pixel outside of the image read the border.
  const Tensor outside = bitwise_or(less(position, number(-1), source),
                                    greater(position, number(static_cast<double>(size)), source), source);
  std::vector<AxisPixel> pixels = pixels_at(position, {.size = size, .border = BorderMode::kBorder}, source);
  for (AxisPixel& pixel : pixels) pixel.weight = cutset::where(outside, number(0), pixel.weight, source);
  return pixels;
}

// Returns the row of the first pixel of the image of each region, i64 [r, 1, 1]. Numbers of images are
// limited so that products do not overflow. No batch has 2^31 images.
Tensor first_rows(const Tensor& images, int64_t pixels, Where source) {
  const Tensor wide = reshape(cast(images, {.dtype = DType::i64}, source), {.shape = {0, 1, 1}}, source);
  const auto number = [&](int64_t n) { return constant(wide, Number(n, source)); };
  constexpr int64_t kMost = int64_t{1} << 31;
  return mul(clip(wide, number(-kMost), number(kMost), source), number(pixels), source);
}

// Computes roi_align with a sampling ratio of 0. The weight of a pixel is the product of its weights along
// the axes, so each axis is one product of matrices.
Tensor adaptive_mean(const Tensor& x, const Tensor& regions, const Tensor& images,
                     const std::vector<int64_t>& sizes, const RoiAlignOptions& o, Where source) {
  const std::vector<int64_t> elements = o.output_size.list(2);
  const auto weights = [&](int64_t axis) {
    const auto at = static_cast<size_t>(axis);
    if (sizes[at] > kMostSamples) refuse(x, "roi_align", "images of at most 2^16 rows and columns", source);
    const Extent extent = extent_of(regions, axis, o, source);
    const Tensor w = mean_sample_weights(extent.begin, extent.length, sizes[at], elements[at], source);
    return reshape(weight_as(w, x.dtype(), source), {.shape = {0, 1, elements[at], sizes[at]}}, source);
  };
  const Tensor of_regions = gather(x, images, {}, source);  // [r, c, h, w]
  const Tensor rows = matmul(of_regions, weights(1), {.transpose_y = true}, source);
  return matmul(weights(0), rows, {}, source);
}

}  // namespace

Tensor roi_align(const Tensor& x, const Tensor& regions, const Tensor& images, const RoiAlignOptions& o,
                 Where source) {
  const auto again = [x = kept(x), regions = kept(regions), images = kept(images), o,
                      source](const Counterpart& now) {
    return roi_align(now(x), now(regions), now(images), o, source);
  };
  return compose_in_f32(
      x, "roi_align", source, again, std::tie(x, regions), [&](const Tensor& x, const Tensor& regions) {
        const std::vector<int64_t> sizes = image_sizes(x, "roi_align", source);
        require_operands(x, regions, images, o, source);
        if (o.sampling_ratio == 0) return adaptive_mean(x, regions, images, sizes, o, source);
        const std::vector<int64_t> elements = o.output_size.list(2);
        const int64_t channels = x.shape()[1], pixels = sizes[0] * sizes[1], ratio = o.sampling_ratio;
        std::vector<std::vector<AxisPixel>> axes;
        for (int64_t d = 0; d < 2; ++d) {
          const auto at = static_cast<size_t>(d);
          axes.push_back(pixels_of(regions, d, sizes[at], elements[at], o, source));
          Shape shape = {0, 1, 1};
          shape[at + 1] = elements[at] * ratio;
          for (AxisPixel& pixel : axes.back())
            pixel = {reshape(pixel.index, {.shape = shape}, source),
                     reshape(pixel.weight, {.shape = shape}, source)};
        }
        // One row of channels per pixel of all images.
        const Tensor rows = reshape(transpose(reshape(x, {.shape = {0, channels, pixels}}, source),
                                              {.permutation = {0, 2, 1}}, source),
                                    {.shape = {-1, channels}}, source);
        const Tensor first = first_rows(images, pixels, source);
        Tensor all;  // [r, samples, samples, c]
        for (const AxisPixel& pixel : combined(axes, sizes, source)) {
          const Tensor index = add(first, cast(pixel.index, {.dtype = DType::i64}, source), source);
          const Tensor weight = reshape(weight_as(pixel.weight, x.dtype(), source),
                                        {.shape = {0, elements[0] * ratio, elements[1] * ratio, 1}}, source);
          const Tensor part = mul(gather(rows, index, {}, source), weight, source);
          if (!all.defined())
            all = part;
          else
            all = o.pooling == RoiPooling::kMean ? add(all, part, source) : maximum(all, part, source);
        }
        const Tensor grouped =
            reshape(all, {.shape = {0, elements[0], ratio, elements[1], ratio, channels}}, source);
        Tensor y;
        if (o.pooling == RoiPooling::kMaximum)
          y = ops::reduce_max(grouped, {.axes = {2, 4}}, source);
        else
          y = mul(ops::reduce_sum(grouped, {.axes = {2, 4}}, source),
                  constant(x, Number(1 / static_cast<double>(ratio * ratio), source)), source);
        return transpose(y, {.permutation = {0, 3, 1, 2}}, source);
      });
}

}  // namespace cutset::onnx_ops
