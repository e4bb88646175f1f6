// SPDX-License-Identifier: Apache-2.0
// Normalizations of ONNX. All functions throw a cutset::Error with the line of the call if an operand or
// argument does not fit, and then add nothing to the graph.
#pragma once
#include <cutset/normalizations.h>

#include <cstdint>
#include <source_location>
#include <type_traits>

namespace cutset::onnx_ops {

// The arguments of mean_variance_norm by name.
struct MeanVarianceNormOptions {
  AxisList axes = {};
  double epsilon = 1e-9;
};
// Returns (x - mean) / sqrt(variance + epsilon), where mean and variance are over the given axes, or over all
// axes if none are given. The variance has n degrees of freedom.
Tensor mean_variance_norm(const Tensor& x, const AxisList& axes = {}, RealNumber epsilon = 1e-9,
                          std::source_location source = std::source_location::current());
template <class Options = MeanVarianceNormOptions>
Tensor mean_variance_norm(const Tensor& x, const std::type_identity_t<Options>& options,
                          std::source_location source = std::source_location::current()) {
  return mean_variance_norm(x, options.axes, options.epsilon, source);
}
// The arguments of lp_normalize by name.
struct LpNormalizeOptions {
  int64_t axis = -1;
  int64_t p = 2;
};
// Divides x by its norm along `axis`: the sum of the absolute values if p is 1, or the root of the sum of the
// squares if p is 2. A line whose norm is 0 stays 0, and its gradient passes unchanged.
Tensor lp_normalize(const Tensor& x, WholeNumber axis = -1, WholeNumber p = 2,
                    std::source_location source = std::source_location::current());
template <class Options = LpNormalizeOptions>
Tensor lp_normalize(const Tensor& x, const std::type_identity_t<Options>& options,
                    std::source_location source = std::source_location::current()) {
  return lp_normalize(x, options.axis, options.p, source);
}

// Returns cutset::local_response_norm with other neighbours: from floor((size - 1) / 2) before to ceil((size
// - 1) / 2) after. The two functions differ for an even size.
Tensor local_response_norm(const Tensor& x, int64_t size, RealNumber alpha = 1e-4, RealNumber beta = 0.75,
                           RealNumber bias = 1,
                           std::source_location source = std::source_location::current());
template <class Options = LocalResponseNormOptions>
Tensor local_response_norm(const Tensor& x, const std::type_identity_t<Options>& options,
                           std::source_location source = std::source_location::current()) {
  return local_response_norm(x, options.size, options.alpha, options.beta, options.bias, source);
}

}  // namespace cutset::onnx_ops
