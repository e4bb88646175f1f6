// Activation functions that append several ops. Those that are single ops are in <cutset/ops.h>: relu, sigmoid, tanh,
// gelu, silu, softplus, prelu and elu with tensors as slopes.
//
// x has a floating-point type, and the result has the shape and type of x. All functions throw a cutset::Error with the
// line of the call if x does not fit, and then add nothing to the graph. NaN stays NaN.
#pragma once
#include <cutset/graph.h>

#include <source_location>

namespace cutset {

// x where x is not negative, and slope * x elsewhere. The gradient at 0 is 1.
Tensor leaky_relu(const Tensor& x, double slope = 0.01, std::source_location where = std::source_location::current());
// x where x is not negative, and alpha * (exp(x) - 1) elsewhere (Clevert, Unterthiner and Hochreiter, ICLR 2016).
Tensor elu(const Tensor& x, double alpha = 1, std::source_location where = std::source_location::current());
// x where x is not negative, and alpha * (exp(x / alpha) - 1) elsewhere (Barron, arXiv:1704.07483). An alpha of 0 is refused.
Tensor celu(const Tensor& x, double alpha = 1, std::source_location where = std::source_location::current());
// 1.0507 elu(x, 1.6733), with the constants of Klambauer and others, "Self-normalizing neural networks" (NIPS 2017).
Tensor selu(const Tensor& x, std::source_location where = std::source_location::current());
// The approximation of gelu by x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 (Hendrycks and Gimpel,
// arXiv:1606.08415).
Tensor gelu_tanh(const Tensor& x, std::source_location where = std::source_location::current());
// x sigmoid(alpha x).
Tensor swish(const Tensor& x, double alpha = 1, std::source_location where = std::source_location::current());
// x tanh(softplus(x)) (Misra, BMVC 2020).
Tensor mish(const Tensor& x, std::source_location where = std::source_location::current());
// x / (1 + |x|).
Tensor softsign(const Tensor& x, std::source_location where = std::source_location::current());
// slope * x + offset, limited to [0, 1]. The defaults are those of ONNX; PyTorch has the slope 1 / 6.
Tensor hard_sigmoid(const Tensor& x, double slope = 0.2, double offset = 0.5,
                    std::source_location where = std::source_location::current());
// x hard_sigmoid(x, 1 / 6, 0.5) (Howard and others, "Searching for MobileNetV3", ICCV 2019).
Tensor hard_swish(const Tensor& x, std::source_location where = std::source_location::current());
// x where x is above alpha, and 0 elsewhere.
Tensor thresholded_relu(const Tensor& x, double alpha = 1,
                        std::source_location where = std::source_location::current());
// x + bias where x is below -lambda, x - bias where x is above lambda, and 0 elsewhere.
Tensor shrink(const Tensor& x, double lambda = 0.5, double bias = 0,
              std::source_location where = std::source_location::current());

}  // namespace cutset
