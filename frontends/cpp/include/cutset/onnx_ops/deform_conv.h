// SPDX-License-Identifier: Apache-2.0
// Deformable convolution, composed of the ops of <cutset/ops.h>. Gradients are those of the ops.
#pragma once
#include <cutset/graph.h>
#include <cutset/pooling.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace cutset::onnx_ops {

// The options of deform_conv.
struct DeformConvOptions {
  AxisSizes stride = 1;
  AxisSizes padding =
      0;  // zeros in front of and behind the image; with two numbers per axis, as in PoolOptions
  AxisSizes dilation = 1;
  int64_t groups = 1;  // groups of channels that are convolved separately; divides both numbers of channels
  int64_t offset_groups =
      1;  // groups of channels with offsets of their own; divides the number of channels of x
};
// Returns the convolution of the images x, [n, c, ...] with one to three axes, with weights [o, c / groups,
// kernel...], whose elements are moved by offsets (Dai et al., "Deformable convolutional networks", ICCV
// 2017). The result is [n, o, sizes...] with the sizes of conv. `offset` is [n, offset_groups * elements of
// the kernel * axes, sizes...]: a number of pixels along each axis, outermost first, for each element of the
// kernel. The image is interpolated linearly, and is 0 outside. `mask`, [n, offset_groups * elements of the
// kernel, sizes...], multiplies the samples, and `bias` is [o]; either may be empty. All operands have one
// floating-point type. Throws a cutset::Error with the line of the call if an operand or option does not fit,
// and then adds nothing to the graph.
Tensor deform_conv(const Tensor& x, const Tensor& weight, const Tensor& offset, const Tensor& mask,
                   const Tensor& bias, const DeformConvOptions& options = {},
                   std::source_location source = std::source_location::current());

}  // namespace cutset::onnx_ops
