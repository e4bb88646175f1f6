// SPDX-License-Identifier: Apache-2.0
// Regions of images in one size, composed of the ops of <cutset/ops.h>, which define the gradients.
#pragma once
#include <cutset/graph.h>
#include <cutset/pooling.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace cutset::onnx_ops {

// How roi_align joins the samples of an element: their mean, or the largest product of a pixel and its
// weight, as ONNX defines it.
enum class RoiPooling { kMean, kMaximum };
// The options of roi_align.
struct RoiAlignOptions {
  AxisSizes output_size = 1;  // the height and width of the result
  double spatial_scale = 1;   // the size of the images divided by the size that the regions refer to
  // The samples of an element along each axis. 0: the number of pixels of the element, rounded up, so that
  // large regions get more samples.
  int64_t sampling_ratio = 2;
  bool aligned =
      true;  // whether pixel centers have the coordinates 0.5, 1.5, ...; otherwise, they are 0, 1, ...
  RoiPooling pooling = RoiPooling::kMean;
};
// Returns regions of the images x, [n, c, h, w], in one size: [r, c, height, width] (He et al., "Mask R-CNN",
// ICCV 2017). `regions` is [r, 4] with rows (x1, y1, x2, y2), and `images` is i32 or i64 [r], the image of
// each region, where a negative number counts from the end.
// - An image that does not exist gives NaN.
// - Samples more than one pixel outside of the image are 0.
// - Regions that are smaller than a pixel are enlarged to one pixel, unless `aligned` is set.
// - With a sampling ratio of 0, the whole image of each region is multiplied by weights, so a pixel that is
//   not finite also makes results NaN in regions that do not contain it. kMaximum needs another ratio.
// Throws a cutset::Error with the line of the call if an operand or option does not fit, and then adds
// nothing to the graph.
Tensor roi_align(const Tensor& x, const Tensor& regions, const Tensor& images, const RoiAlignOptions& options,
                 std::source_location source = std::source_location::current());

}  // namespace cutset::onnx_ops
