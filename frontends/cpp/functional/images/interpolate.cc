// SPDX-License-Identifier: Apache-2.0
#include <cutset/interpolate.h>
#include <cutset/onnx_ops/resize.h>

#include "frontends/cpp/functional/images/pooled.h"

namespace cutset {

Tensor interpolate(const Tensor& x, const InterpolateOptions& o, std::source_location source) {
  onnx_ops::ResizeOptions r;
  r.axes = image_axes(x, "interpolate", source);
  r.sizes = o.size.list(r.axes.size());
  r.scales =
      o.scale_factor.size() == 1 ? std::vector<double>(r.axes.size(), o.scale_factor[0]) : o.scale_factor;
  r.mode = o.mode;
  r.positions = o.mode == Interpolation::kNearest ? onnx_ops::ResizePositions::kAsymmetric
                : o.align_corners                 ? onnx_ops::ResizePositions::kAlignCorners
                                                  : onnx_ops::ResizePositions::kHalfPixel;
  r.nearest = onnx_ops::NearestPixel::kFloor;
  if (o.antialias) {
    r.antialias = r.exclude_outside = true;
    r.cubic_coefficient = -0.5;
  }
  return onnx_ops::resize(x, r, source);
}

}  // namespace cutset
