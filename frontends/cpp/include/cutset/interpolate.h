// SPDX-License-Identifier: Apache-2.0
// Images in other sizes, composed of the ops of <cutset/ops.h>, which define the gradients.
#pragma once
#include <cutset/graph.h>
#include <cutset/pooling.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace cutset {

// How a value between pixels is made: the nearest pixel, linear interpolation along each axis, or cubic
// convolution along each axis (Keys, "Cubic convolution interpolation for digital image processing", IEEE
// Transactions on Acoustics, Speech, and Signal Processing, 1981, equation 4).
enum class Interpolation { kNearest, kLinear, kCubic };

// The options of interpolate, as in torch.nn.functional.interpolate. Either `size` or `scale_factor` must be
// given.
struct InterpolateOptions {
  AxisSizes size = {};  // the new sizes of the axes
  // The new sizes divided by the old sizes: one number per axis, or one for all axes. The new sizes are
  // rounded down.
  std::vector<double> scale_factor = {};
  Interpolation mode = Interpolation::kNearest;
  // Whether the centers of the pixels at the corners stay in place. Otherwise, the corners of the image stay
  // in place. The mode kNearest ignores the option.
  bool align_corners = false;
  // Whether each pixel of a smaller image is an average over all pixels that it covers: the filter of kLinear
  // or kCubic is stretched.
  bool antialias = false;
};
// Returns the images x with other sizes. kNearest takes the pixel at floor(index / scale), as PyTorch does.
// The coefficient of kCubic is -0.75, or -0.5 with `antialias`. kNearest takes all element types of gather,
// and the other modes floating-point types. Throws a cutset::Error with the line of the call if an operand or
// option does not fit, and then adds nothing to the graph.
Tensor interpolate(const Tensor& x, const InterpolateOptions& options,
                   std::source_location source = std::source_location::current());

}  // namespace cutset
