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

constexpr int64_t kMostSamples = 1 << 16;  // of a region along an axis

void require_operands(const Tensor& x, const Tensor& regions, const Tensor& images, const RoiAlignOptions& o,
                      Where where) {
  require_tensor(regions, "roi_align", where), require_tensor(images, "roi_align", where);
  const auto require = [&](bool holds, const std::string& needs) {
    if (!holds) refuse(x, "roi_align", needs, where);
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

// Where the regions lie along an axis of the images, in pixels, [r, 1].
struct Extent {
  Tensor begin, length;
};
Extent extent_of(const Tensor& regions, int64_t axis, const RoiAlignOptions& o, Where where) {
  const auto number = [&](double n) { return constant(regions, Number(n, where)); };
  const auto bound = [&](int64_t column) {
    return mul(ops::slice(regions, {.axis = 1, .start = column, .length = 1}, where), number(o.spatial_scale),
               where);
  };
  const Tensor low = bound(1 - axis), length = sub(bound(3 - axis), low, where);
  return {o.aligned ? sub(low, number(0.5), where) : low,
          o.aligned ? length : maximum(length, number(1), where)};
}

// The pixels along one axis of the samples of each region, [r, samples]: sample i is (i + 0.5) / ratio
// elements of the result behind the begin of its region.
std::vector<AxisPixel> pixels_of(const Tensor& given, int64_t axis, int64_t size, int64_t elements,
                                 const RoiAlignOptions& o, Where where) {
  const Extent extent = extent_of(given, axis, o, where);
  const auto number = [&](double n) { return constant(extent.begin, Number(n, where)); };
  std::vector<double> places;
  for (int64_t i = 0; i < elements * o.sampling_ratio; ++i)
    places.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(elements * o.sampling_ratio));
  const Tensor at = list_of(given.graph(), places, extent.begin.dtype(), where);
  const Tensor position = add(extent.begin, mul(extent.length, at, where), where);
  // Samples up to one pixel outside of the image are those of its border.
  const Tensor outside = bitwise_or(less(position, number(-1), where),
                                    greater(position, number(static_cast<double>(size)), where), where);
  std::vector<AxisPixel> pixels = pixels_at(position, {.size = size, .border = BorderMode::kBorder}, where);
  for (AxisPixel& pixel : pixels) pixel.weight = cutset::where(outside, number(0), pixel.weight, where);
  return pixels;
}

// The row of the first pixel of the image of each region, i64 [r, 1, 1]. Numbers of images are limited so
// that products do not overflow, and no batch has 2^31 images.
Tensor first_rows(const Tensor& images, int64_t pixels, Where where) {
  const Tensor wide = reshape(cast(images, {.dtype = DType::i64}, where), {.shape = {0, 1, 1}}, where);
  const auto number = [&](int64_t n) { return constant(wide, Number(n, where)); };
  constexpr int64_t kMost = int64_t{1} << 31;
  return mul(clip(wide, number(-kMost), number(kMost), where), number(pixels), where);
}

// roi_align with a sampling ratio of 0. The weights of pixels are products of those along the axes, so each
// axis is one product of matrices.
Tensor adaptive_mean(const Tensor& x, const Tensor& regions, const Tensor& images,
                     const std::vector<int64_t>& sizes, const RoiAlignOptions& o, Where where) {
  const std::vector<int64_t> elements = o.output_size.list(2);
  const auto weights = [&](int64_t axis) {
    const auto at = static_cast<size_t>(axis);
    if (sizes[at] > kMostSamples) refuse(x, "roi_align", "images of at most 2^16 rows and columns", where);
    const Extent extent = extent_of(regions, axis, o, where);
    const Tensor w = mean_sample_weights(extent.begin, extent.length, sizes[at], elements[at], where);
    return reshape(weight_as(w, x.dtype(), where), {.shape = {0, 1, elements[at], sizes[at]}}, where);
  };
  const Tensor of_regions = gather(x, images, {}, where);  // [r, c, h, w]
  const Tensor rows = matmul(of_regions, weights(1), {.transpose_y = true}, where);
  return matmul(weights(0), rows, {}, where);
}

}  // namespace

Tensor roi_align(const Tensor& x, const Tensor& regions, const Tensor& images, const RoiAlignOptions& o,
                 Where where) {
  const auto again = [x = kept(x), regions = kept(regions), images = kept(images), o,
                      where](const Counterpart& now) {
    return roi_align(now(x), now(regions), now(images), o, where);
  };
  return compose_in_f32(
      x, "roi_align", where, again, std::tie(x, regions), [&](const Tensor& x, const Tensor& regions) {
        const std::vector<int64_t> sizes = image_sizes(x, "roi_align", where);
        require_operands(x, regions, images, o, where);
        if (o.sampling_ratio == 0) return adaptive_mean(x, regions, images, sizes, o, where);
        const std::vector<int64_t> elements = o.output_size.list(2);
        const int64_t channels = x.shape()[1], pixels = sizes[0] * sizes[1], ratio = o.sampling_ratio;
        std::vector<std::vector<AxisPixel>> axes;
        for (int64_t d = 0; d < 2; ++d) {
          const auto at = static_cast<size_t>(d);
          axes.push_back(pixels_of(regions, d, sizes[at], elements[at], o, where));
          Shape shape = {0, 1, 1};
          shape[at + 1] = elements[at] * ratio;
          for (AxisPixel& pixel : axes.back())
            pixel = {reshape(pixel.index, {.shape = shape}, where),
                     reshape(pixel.weight, {.shape = shape}, where)};
        }
        // One row of channels per pixel of all images.
        const Tensor rows = reshape(
            transpose(reshape(x, {.shape = {0, channels, pixels}}, where), {.permutation = {0, 2, 1}}, where),
            {.shape = {-1, channels}}, where);
        const Tensor first = first_rows(images, pixels, where);
        Tensor all;  // [r, samples, samples, c]
        for (const AxisPixel& pixel : combined(axes, sizes, where)) {
          const Tensor index = add(first, cast(pixel.index, {.dtype = DType::i64}, where), where);
          const Tensor weight = reshape(weight_as(pixel.weight, x.dtype(), where),
                                        {.shape = {0, elements[0] * ratio, elements[1] * ratio, 1}}, where);
          const Tensor part = mul(gather(rows, index, {}, where), weight, where);
          if (!all.defined())
            all = part;
          else
            all = o.pooling == RoiPooling::kMean ? add(all, part, where) : maximum(all, part, where);
        }
        const Tensor grouped =
            reshape(all, {.shape = {0, elements[0], ratio, elements[1], ratio, channels}}, where);
        Tensor y;
        if (o.pooling == RoiPooling::kMaximum)
          y = ops::reduce_max(grouped, {.axes = {2, 4}}, where);
        else
          y = mul(ops::reduce_sum(grouped, {.axes = {2, 4}}, where),
                  constant(x, Number(1 / static_cast<double>(ratio * ratio), where)), where);
        return transpose(y, {.permutation = {0, 3, 1, 2}}, where);
      });
}

}  // namespace cutset::onnx_ops
