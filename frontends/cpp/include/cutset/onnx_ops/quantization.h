// SPDX-License-Identifier: Apache-2.0
// Quantization of ONNX (<cutset/quantization.h> has the functions for given scales). All functions throw a
// cutset::Error with the line of the call if an operand or argument does not fit, and then add nothing to the
// graph.
#pragma once
#include <cutset/quantization.h>

#include <source_location>

namespace cutset::onnx_ops {

// The result of dynamic_quantize_linear.
struct DynamicallyQuantized {
  Tensor y;           // u8, the shape of x
  Tensor scale;       // a scalar of the type of x
  Tensor zero_point;  // a scalar of u8
};
// Quantizes x to u8. The scale and the zero point map 0 to 255 to the numbers from the smallest to the
// largest element, extended to contain 0. If x is 0, the scale is 1 / 255.
DynamicallyQuantized dynamic_quantize_linear(const Tensor& x,
                                             std::source_location source = std::source_location::current());

}  // namespace cutset::onnx_ops
