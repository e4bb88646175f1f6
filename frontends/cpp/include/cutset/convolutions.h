// SPDX-License-Identifier: Apache-2.0
// Transposed convolution. conv is in <cutset/ops.h>, and the layers nn::conv and nn::conv_transpose in
// <cutset/layers.h>.
#pragma once
#include <cutset/arguments.h>
#include <cutset/tensor.h>

#include <cstdint>
#include <source_location>
#include <type_traits>

namespace cutset {

// The arguments of conv_transpose by name.
struct ConvTransposeOptions {
  AxisSizes stride = {};   // the distance between the copies of the filter in the result; default: 1
  AxisSizes padding = {};  // the elements that are cut off each side of the result; default: 0
  AxisSizes output_padding =
      {};                   // the elements that the result has in addition, below the stride; default: 0
  int64_t groups = 1;       // groups of channels that are convolved separately
  AxisSizes dilation = {};  // the distance between the elements of the filter; default: 1
};
// Appends a transposed convolution of x, [n, c, ...] with one to three more dimensions, by the filter [c,
// out_channels / groups, ...]. It is the adjoint of a convolution with these options
// (torch.nn.functional.conv_transpose2d). The bias, [out_channels], may be empty. The result is [n,
// out_channels, ...] with the sizes (size - 1) stride + dilation (k - 1) + 1 - padding + output_padding,
// where `padding` is the sum of both sides. Throws a cutset::Error with the line of the call if an operand
// does not fit, and then adds nothing to the graph.
Tensor conv_transpose(const Tensor& x, const Tensor& filter, const Tensor& bias = {},
                      const AxisSizes& stride = {}, const AxisSizes& padding = {},
                      const AxisSizes& output_padding = {}, WholeNumber groups = 1,
                      const AxisSizes& dilation = {},
                      std::source_location source = std::source_location::current());
template <class Options = ConvTransposeOptions>
Tensor conv_transpose(const Tensor& x, const Tensor& filter, const Tensor& bias,
                      const std::type_identity_t<Options>& options,
                      std::source_location source = std::source_location::current()) {
  return conv_transpose(x, filter, bias, options.stride, options.padding, options.output_padding,
                        options.groups, options.dilation, source);
}
// Appends a transposed convolution without a bias.
template <class Options = ConvTransposeOptions>
Tensor conv_transpose(const Tensor& x, const Tensor& filter, const std::type_identity_t<Options>& options,
                      std::source_location source = std::source_location::current()) {
  return conv_transpose(x, filter, {}, options, source);
}

}  // namespace cutset
