// SPDX-License-Identifier: Apache-2.0
// Windows of images as columns, composed of the ops of <cutset/ops.h>, which define the gradients. Images are
// [n, c, ...] with one to three more dimensions, their axes.
//
// The functions throw a cutset::Error with the line of the call if an operand or option does not fit, and
// then add nothing to the graph.
#pragma once
#include <cutset/graph.h>
#include <cutset/pooling.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace cutset {

// The windows of unfold and fold, as in a convolution.
struct FoldOptions {
  AxisSizes kernel_size = 1;
  AxisSizes stride = 1;
  AxisSizes padding = 0;  // zeros before and after the image, or two numbers per axis as in PoolOptions
  AxisSizes dilation = 1;
};
// Returns the windows of the images x as columns: [n, c * elements of the kernel, windows], where the
// elements of the kernel and the windows are in row-major order (torch.nn.functional.unfold).
Tensor unfold(const Tensor& x, const FoldOptions& options,
              std::source_location source = std::source_location::current());
// Returns images [n, c, image_size...] that are the sums of the windows in x, [n, c * elements of the kernel,
// windows] (ONNX Col2Im, torch.nn.functional.fold). It is the adjoint of unfold. x has a numeric type.
Tensor fold(const Tensor& x, const std::vector<int64_t>& image_size, const FoldOptions& options,
            std::source_location source = std::source_location::current());

}  // namespace cutset
