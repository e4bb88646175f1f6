// SPDX-License-Identifier: Apache-2.0
// Activation functions that append several ops. The activation functions that are single ops are in
// <cutset/ops.h>: relu, sigmoid, tanh, gelu, silu, softplus, prelu, and elu with a tensor as alpha.
//
// x has a floating-point type, and the result has the shape and type of x. All functions throw a
// cutset::Error with the line of the call if x does not fit, and then add nothing to the graph. NaN stays
// NaN.
#pragma once
#include <cutset/arguments.h>
#include <cutset/tensor.h>

#include <source_location>
#include <type_traits>

namespace cutset {

// The arguments of leaky_relu by name.
struct LeakyReluOptions {
  double slope = 0.01;
};
// Returns x where x is not negative, and slope * x elsewhere. The gradient at 0 is 1.
Tensor leaky_relu(const Tensor& x, RealNumber slope = 0.01,
                  std::source_location source = std::source_location::current());
template <class Options = LeakyReluOptions>
Tensor leaky_relu(const Tensor& x, const std::type_identity_t<Options>& options,
                  std::source_location source = std::source_location::current()) {
  return leaky_relu(x, options.slope, source);
}
// The arguments of elu by name.
struct EluOptions {
  double alpha = 1;
};
// Returns x where x is not negative, and alpha * (exp(x) - 1) elsewhere; alpha is a number or a tensor
// (Clevert, Unterthiner and Hochreiter, ICLR 2016).
Tensor elu(const Tensor& x, const TensorOrNumber& alpha = 1,
           std::source_location source = std::source_location::current());
template <class Options = EluOptions>
Tensor elu(const Tensor& x, const std::type_identity_t<Options>& options,
           std::source_location source = std::source_location::current()) {
  return elu(x, options.alpha, source);
}
// The arguments of celu by name.
struct CeluOptions {
  double alpha = 1;
};
// Returns x where x is not negative, and alpha * (exp(x / alpha) - 1) elsewhere (Barron, arXiv:1704.07483).
// An alpha of 0 is refused.
Tensor celu(const Tensor& x, RealNumber alpha = 1,
            std::source_location source = std::source_location::current());
template <class Options = CeluOptions>
Tensor celu(const Tensor& x, const std::type_identity_t<Options>& options,
            std::source_location source = std::source_location::current()) {
  return celu(x, options.alpha, source);
}
// Returns 1.0507 elu(x, 1.6733), with the constants of Klambauer and others, "Self-normalizing neural
// networks" (NIPS 2017).
Tensor selu(const Tensor& x, std::source_location source = std::source_location::current());
// Approximates gelu by x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 (Hendrycks and Gimpel,
// arXiv:1606.08415).
Tensor gelu_tanh(const Tensor& x, std::source_location source = std::source_location::current());
// Returns x tanh(softplus(x)) (Misra, BMVC 2020).
Tensor mish(const Tensor& x, std::source_location source = std::source_location::current());
// Returns x / (1 + |x|).
Tensor softsign(const Tensor& x, std::source_location source = std::source_location::current());
// Returns x / 6 + 1 / 2, limited to [0, 1].
Tensor hard_sigmoid(const Tensor& x, std::source_location source = std::source_location::current());
// Returns x hard_sigmoid(x) (Howard and others, "Searching for MobileNetV3", ICCV 2019).
Tensor hard_swish(const Tensor& x, std::source_location source = std::source_location::current());

// The arguments of dropout by name.
struct DropoutOptions {
  double probability = 0.5;
};
// Sets each element of x to 0 with a probability, at least 0 and below 1, and divides the others by (1 -
// probability), in functions that train. Returns x in all other functions (Srivastava et al., "Dropout", JMLR
// 2014). The mask is drawn anew in each step. It depends on the seed of the graph, the number of the call,
// the step and the index of the element, so it is the same under every strategy. The mask of nn::dropout
// depends on the name of the layer instead of the number of the call.
Tensor dropout(const Tensor& x, RealNumber probability = 0.5,
               std::source_location source = std::source_location::current());
template <class Options = DropoutOptions>
Tensor dropout(const Tensor& x, const std::type_identity_t<Options>& options,
               std::source_location source = std::source_location::current()) {
  return dropout(x, options.probability, source);
}

}  // namespace cutset
