// Normalizations that append several ops, without variables of their own. layer_norm and batch_norm are in <cutset/ops.h>,
// and the layers nn::layer_norm and nn::batch_norm in <cutset/layers.h>.
//
// x has a floating-point type, and the result has the shape and type of x. epsilon is added to the variance or to the mean
// square before its root is taken. All functions throw a cutset::Error with the line of the call if an operand does not fit,
// and then add nothing to the graph.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace cutset {

// (x - mean) / sqrt(variance + epsilon), where mean and variance are those over the given axes, or over all axes if none are
// given; the variance has n degrees of freedom.
Tensor mean_variance_norm(const Tensor& x, const std::vector<int64_t>& axes, double epsilon = 1e-9,
                          std::source_location where = std::source_location::current());
// Group normalization of x, [n, channels, ...] (Wu and He, ECCV 2018): mean and variance are those of each group of
// channels / groups consecutive channels of a sample. The result is scaled and shifted per channel by `scale` and `bias`,
// which are [channels]. `groups` divides the number of channels.
Tensor group_norm(const Tensor& x, const Tensor& scale, const Tensor& bias, int64_t groups, double epsilon = 1e-5,
                  std::source_location where = std::source_location::current());
// Instance normalization (Ulyanov, Vedaldi and Lempitsky, arXiv:1607.08022): group_norm with one channel per group.
Tensor instance_norm(const Tensor& x, const Tensor& scale, const Tensor& bias, double epsilon = 1e-5,
                     std::source_location where = std::source_location::current());
// x / sqrt(mean(x^2) + epsilon) * scale, where the mean is over the dimensions from `axis` on (Zhang and Sennrich, "Root mean
// square layer normalization", NeurIPS 2019). `scale` broadcasts to x.
Tensor rms_norm(const Tensor& x, const Tensor& scale, int64_t axis = -1, double epsilon = 1e-5,
                std::source_location where = std::source_location::current());
// x / (bias + alpha / size * s)^beta, where s is the sum of the squares of `size` neighbouring channels of x, [n, channels,
// ...]: those from floor((size - 1) / 2) before to ceil((size - 1) / 2) after (Krizhevsky, Sutskever and Hinton, "ImageNet
// classification with deep convolutional neural networks", NIPS 2012, with ONNX's division by `size`).
Tensor local_response_norm(const Tensor& x, int64_t size, double alpha = 1e-4, double beta = 0.75, double bias = 1,
                           std::source_location where = std::source_location::current());
// x divided by its norm along `axis`: the sum of the absolute values if p is 1, the root of the sum of the squares if p is 2. A
// line whose norm is 0 stays 0, and its gradient passes unchanged.
Tensor lp_normalize(const Tensor& x, int64_t axis = -1, int64_t p = 2,
                    std::source_location where = std::source_location::current());

}  // namespace cutset
