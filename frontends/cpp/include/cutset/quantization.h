// SPDX-License-Identifier: Apache-2.0
// Integers that stand for numbers: number = scale * (integer - zero point) (Jacob and others, "Quantization
// and training of neural networks for efficient integer-arithmetic-only inference", CVPR 2018). The functions
// are compositions of the ops of <cutset/ops.h> with the names and the meaning of ONNX.
//
// Zero points may be empty Tensors, which stand for 0. A scale or zero point for a whole tensor has one
// element.
//
// All functions throw a cutset::Error with the line of the call if an operand does not fit, and then add
// nothing to the graph.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <source_location>

namespace cutset {

// Which elements share a scale and a zero point.
struct QuantizationGroups {
  // The dimension of a tensor that has one scale per index, [size of the dimension]. A negative axis counts
  // from the end.
  int64_t axis = 1;
  // 0: there is one scale per tensor or per index of the axis. Otherwise, this many consecutive elements
  // along the axis share a scale, and the scale has the shape of the tensor with ceil(size / block_size)
  // along the axis.
  int64_t block_size = 0;
};

// Quantizes x to the integers round(x / scale) + zero_point, where a tie rounds to the even number. The
// integers are limited to the range of the type. x and scale have one floating-point type. The result has the
// type of the zero point, or `type` if there is none: i8, u8, i16, u16, i32 or u32. NaN becomes 0. The
// gradient is 0; fake_quantize has a gradient.
Tensor quantize_linear(const Tensor& x, const Tensor& scale, const Tensor& zero_point = {},
                       DType type = DType::u8, const QuantizationGroups& groups = {},
                       std::source_location source = std::source_location::current());
// Returns the numbers that the integers x stand for, in the type of the scale. The zero point has the type of
// x.
Tensor dequantize_linear(const Tensor& x, const Tensor& scale, const Tensor& zero_point = {},
                         const QuantizationGroups& groups = {},
                         std::source_location source = std::source_location::current());

// The smallest and the largest integer of fake_quantize.
struct QuantizationRange {
  int64_t low = -128, high = 127;  // from -2^20 to 2^20
};
// Returns the number that the integer nearest to x stands for: dequantize_linear of quantize_linear, with the
// integers in `range`, and with a gradient, for training (Jacob and others, section 3). x and scale have one
// type, f32 or f64, and the zero point has an integer type. NaN stays NaN. The gradients are:
// - The gradient of x equals the gradient of the result where x / scale + zero_point, rounded, is in the
//   range, and is 0 elsewhere: the straight-through estimator (Bengio, Léonard and Courville,
//   arXiv:1308.3432).
// - The gradient of the scale follows from it, as in Esser and others, "Learned step size quantization" (ICLR
//   2020), without their factor.
Tensor fake_quantize(const Tensor& x, const Tensor& scale, const Tensor& zero_point = {},
                     const QuantizationRange& range = {}, const QuantizationGroups& groups = {},
                     std::source_location source = std::source_location::current());

}  // namespace cutset
