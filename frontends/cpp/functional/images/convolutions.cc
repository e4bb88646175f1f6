// SPDX-License-Identifier: Apache-2.0
#include <cutset/convolutions.h>
#include <cutset/ops.h>

#include "frontends/cpp/functional/compose_in_f32.h"

namespace cutset {

Tensor conv_transpose(const Tensor& x, const Tensor& filter, const Tensor& bias, const AxisSizes& stride,
                      const AxisSizes& padding, const AxisSizes& output_padding, WholeNumber groups,
                      const AxisSizes& dilation, std::source_location source) {
  const auto convolved = [&](const Tensor& x, const Tensor& filter) {
    return ops::conv_transpose(x, filter, {}, stride, padding, output_padding, groups, dilation, source);
  };
  if (!bias.defined()) return convolved(x, filter);
  return compose_in_f32(
      x, "conv_transpose", source, std::tie(x, filter, bias),
      [&](const Tensor& x, const Tensor& filter, const Tensor& bias) {
        const Tensor y = convolved(x, filter);
        if (bias.type() != TensorType{y.dtype(), {y.shape()[1]}})
          refuse(x, "conv_transpose",
                 "a bias with one element per output channel, not " + to_string(bias.type()), source);
        Shape beside_channels(y.shape().size() - 1, 1);
        beside_channels[0] = -1;
        return add(y, reshape(bias, beside_channels, source), source);
      });
}

}  // namespace cutset
