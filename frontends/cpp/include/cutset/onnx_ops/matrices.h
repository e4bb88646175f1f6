// SPDX-License-Identifier: Apache-2.0
// Functions of matrices that are composed of the ops of <cutset/ops.h>, which define the gradients.
#pragma once
#include <cutset/graph.h>

#include <source_location>

namespace cutset::onnx_ops {

// Returns the determinant of each matrix of x, [..., n, n], with n from 1 to 6 and a floating-point type. The
// result is [...]. The determinant is expanded along rows (Laplace), which takes n 2^n products and is exact
// for small whole numbers. Throws a cutset::Error with the line of the call if x does not fit, and then adds
// nothing to the graph.
Tensor determinant(const Tensor& x, std::source_location source = std::source_location::current());

}  // namespace cutset::onnx_ops
