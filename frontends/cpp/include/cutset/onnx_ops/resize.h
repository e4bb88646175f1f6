// SPDX-License-Identifier: Apache-2.0
// Tensors in other sizes, as ONNX resizes them; cutset::interpolate is simpler. The functions are composed of
// the ops of <cutset/ops.h>, which define the gradients.
//
// The functions throw a cutset::Error with the line of the call if an operand or option does not fit, and
// then add nothing to the graph.
#pragma once
#include <cutset/interpolate.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace cutset::onnx_ops {

// The position in x of an index of the result of resize, along an axis with `from` rows in x and `to` rows in
// the result. `scale` is the given scale, or to / from. The names are the names of ONNX.
enum class ResizePositions {
  kHalfPixel,           // (index + 0.5) / scale - 0.5
  kHalfPixelSymmetric,  // the same, moved so that the centers of x and of the result have one position; see
                        // resize
  kPytorchHalfPixel,    // as kHalfPixel, and 0 if there is one row
  kAlignCorners,        // index (from - 1) / (to - 1)
  kAsymmetric,          // index / scale
  kTfHalfPixelForNn,    // (index + 0.5) / scale, as an old version of TensorFlow finds the nearest pixel
  kCrop,  // (start + index (end - start) / (to - 1)) (from - 1): a part of x, as TensorFlow's crop_and_resize
};
// Which pixel is the nearest. kRoundPreferFloor and kRoundPreferCeil differ for a position in the middle
// between two pixels.
enum class NearestPixel { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil };
// Whether all axes get the same scale: the smallest or the largest scale that `sizes` asks for.
enum class AspectRatio { kStretch, kNotLarger, kNotSmaller };

// The options of resize. Either `sizes` or `scales` must be given.
struct ResizeOptions {
  std::vector<int64_t> axes = {};   // the dimensions that are resized; default: all
  std::vector<int64_t> sizes = {};  // one per axis
  std::vector<double> scales = {};  // one per axis; the new size is the old one times the scale, rounded down
  // Whether the scales are f32, as in an ONNX model. Most of these scales are ratios that were rounded, such
  // as 2.3333333 for 7/3. The new sizes, and the positions of kNearest, are then computed in f32, as in ONNX
  // Runtime, so that products and quotients that are whole for the ratio are whole: 3 rows become 7.
  bool f32_scales = false;
  // Whether the aspect ratio is kept. kNotLarger and kNotSmaller need `sizes`, and round the new sizes to the
  // nearest numbers.
  AspectRatio aspect_ratio = AspectRatio::kStretch;
  Interpolation mode = Interpolation::kNearest;
  ResizePositions positions = ResizePositions::kHalfPixel;
  NearestPixel nearest = NearestPixel::kRoundPreferFloor;
  double cubic_coefficient = -0.75;
  // Whether rows beyond the border have the weight 0, and the weights of the other rows are scaled to the sum
  // 1. Otherwise, rows beyond the border are the row at the border.
  bool exclude_outside = false;
  bool antialias = false;  // as in InterpolateOptions; not with kNearest
  // The part of x that kCrop takes, from 0 (the first row) to 1 (the last row) along each axis. With scales,
  // the new size is the size of the part times the scale.
  std::vector<double> crop_start = {}, crop_end = {};
  double extrapolation_value = 0;  // the value that kCrop writes where the part is beyond x
};
// Returns x with other sizes (ONNX Resize). With scales, or with an aspect ratio that is kept, the new size
// is rounded to whole rows, but positions follow the scale. kAlignCorners and kCrop follow the rounded size
// instead, as PyTorch and ONNX Runtime do; ONNX's reference evaluator follows the size that is not rounded.
// kHalfPixelSymmetric centers the result. With sizes, positions are exact. Element types are as for
// interpolate. A new size, times the number of rows of x that a new row is made of, is at most 2^20.
Tensor resize(const Tensor& x, const ResizeOptions& options,
              std::source_location source = std::source_location::current());

}  // namespace cutset::onnx_ops
