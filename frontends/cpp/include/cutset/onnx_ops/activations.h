// SPDX-License-Identifier: Apache-2.0
// Activation functions that PyTorch does not have, or has with another meaning.
//
// x has a floating-point type, and the result has the shape and type of x. NaN stays NaN. All functions throw
// a cutset::Error with the line of the call if an operand or argument does not fit, and then add nothing to
// the graph.
#pragma once
#include <cutset/arguments.h>
#include <cutset/tensor.h>

#include <source_location>
#include <type_traits>

namespace cutset::onnx_ops {

// The arguments of swish by name.
struct SwishOptions {
  double alpha = 1;
};
// Returns x sigmoid(alpha x).
Tensor swish(const Tensor& x, RealNumber alpha = 1,
             std::source_location source = std::source_location::current());
template <class Options = SwishOptions>
Tensor swish(const Tensor& x, const std::type_identity_t<Options>& options,
             std::source_location source = std::source_location::current()) {
  return swish(x, options.alpha, source);
}
// The arguments of hard_sigmoid by name.
struct HardSigmoidOptions {
  double slope = 0.2;
  double offset = 0.5;
};
// Returns slope * x + offset, limited to [0, 1]. The slope of cutset::hard_sigmoid is 1 / 6, as in PyTorch.
Tensor hard_sigmoid(const Tensor& x, RealNumber slope = 0.2, RealNumber offset = 0.5,
                    std::source_location source = std::source_location::current());
template <class Options = HardSigmoidOptions>
Tensor hard_sigmoid(const Tensor& x, const std::type_identity_t<Options>& options,
                    std::source_location source = std::source_location::current()) {
  return hard_sigmoid(x, options.slope, options.offset, source);
}
// The arguments of thresholded_relu by name.
struct ThresholdedReluOptions {
  double alpha = 1;
};
// Returns x where x is above alpha, and 0 elsewhere.
Tensor thresholded_relu(const Tensor& x, RealNumber alpha = 1,
                        std::source_location source = std::source_location::current());
template <class Options = ThresholdedReluOptions>
Tensor thresholded_relu(const Tensor& x, const std::type_identity_t<Options>& options,
                        std::source_location source = std::source_location::current()) {
  return thresholded_relu(x, options.alpha, source);
}
// The arguments of shrink by name.
struct ShrinkOptions {
  double lambda = 0.5;
  double bias = 0;
};
// Returns x + bias where x is below -lambda, x - bias where x is above lambda, and 0 elsewhere.
Tensor shrink(const Tensor& x, RealNumber lambda = 0.5, double bias = 0,
              std::source_location source = std::source_location::current());
template <class Options = ShrinkOptions>
Tensor shrink(const Tensor& x, const std::type_identity_t<Options>& options,
              std::source_location source = std::source_location::current()) {
  return shrink(x, options.lambda, options.bias, source);
}

}  // namespace cutset::onnx_ops
