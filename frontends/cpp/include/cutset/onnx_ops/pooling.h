// SPDX-License-Identifier: Apache-2.0
// Poolings of ONNX. All functions throw a cutset::Error with the line of the call if an operand or argument
// does not fit, and then add nothing to the graph.
#pragma once
#include <cutset/tensor.h>

#include <source_location>

namespace cutset::onnx_ops {

// Returns (sum of |element|^p)^(1/p) of all elements of each channel of an image, for p > 0, as [n, c, 1,
// ...] with the rank of x. The gradient of a channel of zeros is 0.
Tensor global_lp_pool(const Tensor& x, double p = 2,
                      std::source_location source = std::source_location::current());

}  // namespace cutset::onnx_ops
