// SPDX-License-Identifier: Apache-2.0
// Samples images at positions that are tensors: finds the pixels of each sample and their weights.
// grid_sample, roi_align and deform_conv use it.
#pragma once
#include <cutset/grid_sample.h>

#include <vector>

#include "frontends/cpp/functional/compose.h"

namespace cutset {

// A pixel along one axis of each sample, and its weight. The two tensors have the shape of the positions.
struct AxisPixel {
  Tensor index;   // i32, from 0 to size - 1
  Tensor weight;  // has the type of the positions
};

// How positions along an axis are read.
struct AxisSampling {
  int64_t size = 1;  // the number of pixels
  Interpolation mode = Interpolation::kLinear;
  BorderMode border = BorderMode::kZeros;
  bool align_corners = false;  // true: kReflection mirrors at the centers of the pixels at the border; false:
                               // at their outer edges
  bool moves_inside = false;   // as in GridSampleOptions
};
// Returns the pixels that are read for positions. A position is a number of pixels: 0 is the center of the
// first pixel. A position that is NaN gives weights that are NaN.
std::vector<AxisPixel> pixels_at(const Tensor& position, const AxisSampling& axis,
                                 std::source_location source);

// Combines the pixels of all axes: one pixel along each axis gives one pixel of an image. The index counts
// the pixels of an image in row-major order. Indices and weights of the axes, outermost first, broadcast to
// the shape of the result.
std::vector<AxisPixel> combined(const std::vector<std::vector<AxisPixel>>& axes,
                                const std::vector<int64_t>& sizes, std::source_location source);

// Returns the samples [n, c, s] of the images x, [n, c, ...], at positions [n, s], one tensor per axis,
// outermost first.
Tensor sampled(const Tensor& x, const std::vector<Tensor>& positions, const GridSampleOptions& options,
               std::source_location source);

// Returns positions of a 16-bit type as f32, because such a type cannot represent all numbers of pixels.
// Returns other positions as they are.
Tensor exact_positions(const Tensor& positions, std::source_location source);
// Returns the weight in another floating-point type, or as it is.
Tensor weight_as(const Tensor& weight, DType dtype, std::source_location source);

// Returns the sizes of the axes of the images x. Throws an Error of the public function `function` unless x
// has a floating-point type, one to three axes, at least one channel, and from 1 to 2^31 - 1 pixels per
// channel.
std::vector<int64_t> image_sizes(const Tensor& x, const char* function, std::source_location source);

}  // namespace cutset
