// SPDX-License-Identifier: Apache-2.0
// Deformable convolution, composed of the ops of <cutset/ops.h>, which define the gradients.
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
  AxisSizes padding = 0;  // zeros before and after the image, or two numbers per axis as in PoolOptions
  AxisSizes dilation = 1;
  int64_t groups = 1;  // groups of channels that are convolved separately; divides both numbers of channels
  int64_t offset_groups = 1;  // groups of channels with separate offsets; divides the number of channels of x
};
// Convolves the images x, [n, c, ...] with one to three axes, with the weights [o, c / groups, kernel...].
// Offsets move the elements of the kernel (Dai et al., "Deformable convolutional networks", ICCV 2017). The
// result is [n, o, sizes...] with the sizes of conv. All operands have one floating-point type.
// - `offset` is [n, offset_groups * elements of the kernel * axes, sizes...]: a number of pixels along each
//   axis, outermost first, for each element of the kernel. The image is interpolated linearly, and is 0
//   outside.
// - `mask`, [n, offset_groups * elements of the kernel, sizes...], multiplies the samples. It may be empty.
// - `bias` is [o]. It may be empty.
// Throws a cutset::Error with the line of the call if an operand or option does not fit, and then adds
// nothing to the graph.
Tensor deform_conv(const Tensor& x, const Tensor& weight, const Tensor& offset, const Tensor& mask,
                   const Tensor& bias, const DeformConvOptions& options = {},
                   std::source_location source = std::source_location::current());

}  // namespace cutset::onnx_ops
