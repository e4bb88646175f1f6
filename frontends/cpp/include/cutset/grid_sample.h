// SPDX-License-Identifier: Apache-2.0
// Samples images at the places of a grid (Jaderberg et al., "Spatial transformer networks", NIPS 2015). The
// functions are composed of the ops of <cutset/ops.h>, which define the gradients. Images are [n, c, ...]
// with one to three more dimensions, their axes.
//
// The functions throw a cutset::Error with the line of the call if an operand or option does not fit, and
// then add nothing to the graph.
#pragma once
#include <cutset/graph.h>
#include <cutset/interpolate.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace cutset {

// Which values the pixels beyond the border of an image have: 0, the values of the pixels at the border, or
// the values of the pixels mirrored at the border.
enum class BorderMode { kZeros, kBorder, kReflection };
// The options of grid_sample.
struct GridSampleOptions {
  Interpolation mode = Interpolation::kLinear;
  BorderMode border = BorderMode::kZeros;
  // Whether -1 and 1 are the centers of the pixels at the corners. Otherwise, they are the outer edges of
  // these pixels.
  bool align_corners = false;
  // Whether kCubic moves a position outside of the image to the border, or mirrors it, before it reads the
  // four pixels around the position, as ONNX does. A position is outside if it is beyond the edges at which
  // kReflection mirrors. The other modes always move such positions.
  bool moves_inside = false;
};
// Returns the images x at the places of a grid, [n, places..., axes]. The result is [n, c, places...]. A
// place has one number from -1 to 1 per axis, in the opposite order of the axes of x: (x, y) for images [n,
// c, h, w] (torch.nn.functional.grid_sample). x and the grid have floating-point types.
// - kNearest rounds a position in the middle to the even pixel.
// - kCubic has the coefficient -0.75. `border` says which value each of the four pixels around a place has,
//   as in PyTorch. The position itself is not limited, unless `moves_inside` is set.
// - A place that is NaN gives NaN, and so does an infinite place with kReflection.
Tensor grid_sample(const Tensor& x, const Tensor& grid, const GridSampleOptions& options = {},
                   std::source_location source = std::source_location::current());

// Returns the grid for grid_sample that samples affine transforms of an image
// (torch.nn.functional.affine_grid). theta is [n, axes, axes + 1], `sizes` are the sizes of the axes of the
// result, and the grid is [n, sizes..., axes]. A place (x, y) of the result has the coordinates theta (x, y,
// 1) in the image.
Tensor affine_grid(const Tensor& theta, const std::vector<int64_t>& sizes, bool align_corners = false,
                   std::source_location source = std::source_location::current());

}  // namespace cutset
