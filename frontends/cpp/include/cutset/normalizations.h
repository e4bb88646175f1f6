// SPDX-License-Identifier: Apache-2.0
// Normalizations without variables. batch_norm is in <cutset/ops.h>, and the layers are in <cutset/layers.h>.
//
// x has a floating-point type, and the result has the shape and type of x. epsilon is added to the variance
// or to the mean square before its root is taken. All functions throw a cutset::Error with the line of the
// call if an operand does not fit, and then add nothing to the graph.
#pragma once
#include <cutset/arguments.h>
#include <cutset/tensor.h>

#include <cstdint>
#include <source_location>
#include <type_traits>

namespace cutset {

// The arguments of layer_norm by name.
struct LayerNormOptions {
  int64_t axis = -1;
  double epsilon = 1e-5;
};
// Returns (x - mean) / sqrt(variance + epsilon) * scale + bias, where mean and variance are over the
// dimensions from `axis` on: layer normalization (Ba, Kiros and Hinton, arXiv:1607.06450). Scale and bias
// have the sizes of these dimensions; an empty scale is 1, and an empty bias is 0.
Tensor layer_norm(const Tensor& x, const Tensor& scale = {}, const Tensor& bias = {}, WholeNumber axis = -1,
                  RealNumber epsilon = 1e-5, std::source_location source = std::source_location::current());
template <class Options = LayerNormOptions>
Tensor layer_norm(const Tensor& x, const Tensor& scale, const Tensor& bias,
                  const std::type_identity_t<Options>& options,
                  std::source_location source = std::source_location::current()) {
  return layer_norm(x, scale, bias, options.axis, options.epsilon, source);
}
// Normalizes without scale and bias.
template <class Options = LayerNormOptions>
Tensor layer_norm(const Tensor& x, const std::type_identity_t<Options>& options,
                  std::source_location source = std::source_location::current()) {
  return layer_norm(x, {}, {}, options.axis, options.epsilon, source);
}

// Normalizes without bias.
template <class Options = LayerNormOptions>
Tensor layer_norm(const Tensor& x, const Tensor& scale, const std::type_identity_t<Options>& options,
                  std::source_location source = std::source_location::current()) {
  return layer_norm(x, scale, {}, options.axis, options.epsilon, source);
}
// Normalizes over the last dimensions of x, which have the sizes `normalized_shape`, as
// torch.nn.functional.layer_norm does. Example: layer_norm(x, {64}).
Tensor layer_norm(const Tensor& x, const AxisList& normalized_shape, const Tensor& scale = {},
                  const Tensor& bias = {}, RealNumber epsilon = 1e-5,
                  std::source_location source = std::source_location::current());

// The arguments of group_norm by name.
struct GroupNormOptions {
  int64_t groups = 0;
  double epsilon = 1e-5;
};
// Divides the channels of each sample of x, [n, channels, ...], into `groups` groups of consecutive channels,
// and normalizes each group by its mean and its variance (Wu and He, ECCV 2018). The result is scaled and
// shifted per channel by `scale` and `bias`. Each of them is [channels] or empty; an empty scale is 1, and an
// empty bias is 0. `groups` divides the number of channels.
Tensor group_norm(const Tensor& x, const Tensor& scale, const Tensor& bias, int64_t groups,
                  RealNumber epsilon = 1e-5, std::source_location source = std::source_location::current());
template <class Options = GroupNormOptions>
Tensor group_norm(const Tensor& x, const Tensor& scale, const Tensor& bias,
                  const std::type_identity_t<Options>& options,
                  std::source_location source = std::source_location::current()) {
  return group_norm(x, scale, bias, options.groups, options.epsilon, source);
}
// The arguments of instance_norm by name.
struct InstanceNormOptions {
  double epsilon = 1e-5;
};
// Returns group_norm with one channel per group: instance normalization (Ulyanov, Vedaldi and Lempitsky,
// arXiv:1607.08022).
Tensor instance_norm(const Tensor& x, const Tensor& scale = {}, const Tensor& bias = {},
                     RealNumber epsilon = 1e-5,
                     std::source_location source = std::source_location::current());
template <class Options = InstanceNormOptions>
Tensor instance_norm(const Tensor& x, const Tensor& scale, const Tensor& bias,
                     const std::type_identity_t<Options>& options,
                     std::source_location source = std::source_location::current()) {
  return instance_norm(x, scale, bias, options.epsilon, source);
}
// The arguments of rms_norm by name.
struct RmsNormOptions {
  int64_t axis = -1;
  double epsilon = 1e-5;
};
// Returns x / sqrt(mean(x^2) + epsilon) * scale, where the mean is over the dimensions from `axis` on (Zhang
// and Sennrich, "Root mean square layer normalization", NeurIPS 2019). `scale` broadcasts to x; an empty
// scale is 1.
Tensor rms_norm(const Tensor& x, const Tensor& scale = {}, WholeNumber axis = -1, RealNumber epsilon = 1e-5,
                std::source_location source = std::source_location::current());
template <class Options = RmsNormOptions>
Tensor rms_norm(const Tensor& x, const Tensor& scale, const std::type_identity_t<Options>& options,
                std::source_location source = std::source_location::current()) {
  return rms_norm(x, scale, options.axis, options.epsilon, source);
}
// The arguments of local_response_norm by name.
struct LocalResponseNormOptions {
  int64_t size = 0;
  double alpha = 1e-4;
  double beta = 0.75;
  double bias = 1;
};
// Returns x / (bias + alpha / size * s)^beta, where s is the sum of the squares of `size` neighbouring
// channels of x, [n, channels, ...]: from floor(size / 2) channels before to floor((size - 1) / 2) channels
// after (Krizhevsky, Sutskever and Hinton, "ImageNet classification with deep convolutional neural networks",
// NIPS 2012, with PyTorch's division by `size`).
Tensor local_response_norm(const Tensor& x, int64_t size, RealNumber alpha = 1e-4, RealNumber beta = 0.75,
                           RealNumber bias = 1,
                           std::source_location source = std::source_location::current());
template <class Options = LocalResponseNormOptions>
Tensor local_response_norm(const Tensor& x, const std::type_identity_t<Options>& options,
                           std::source_location source = std::source_location::current()) {
  return local_response_norm(x, options.size, options.alpha, options.beta, options.bias, source);
}

}  // namespace cutset
