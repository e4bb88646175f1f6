// SPDX-License-Identifier: Apache-2.0
// Products and convolutions of 8-bit integers that stand for numbers (<cutset/quantization.h>), with the
// names and the meaning of ONNX.
//
// Products of 8-bit integers are exact, although they are computed in f32. A sum of k products of differences
// of 8-bit integers is at most 255^2 k, and f32 holds every whole number up to 2^24:
// - For k up to 258, one product in f32 is exact.
// - For k up to 4112, one operand is split into multiples of 16 and a rest from 0 to 15.
// - For k up to 65,536, both operands are split.
// - More than 65,536 terms are refused.
// The sums of products of the parts are multiples of 1, 16 or 256 that f32 holds exactly. This needs devices
// whose f32 products do not round to fewer bits; the devices of this project do not. The sums of the parts
// wrap around as an i32.
//
// All functions throw a cutset::Error with the line of the call if an operand does not fit, and then add
// nothing to the graph.
#pragma once
#include <cutset/graph.h>
#include <cutset/ops.h>

#include <source_location>

namespace cutset::onnx_ops {

// An 8-bit integer tensor and its zero point, which may be empty and has the type of `x`.
struct Quantized {
  Tensor x, zero_point;
};
// Returns the product of matrices of i8 or u8, [..., m, k] and [..., k, n], minus their zero points, as i32
// [..., m, n]. The zero point of the first operand may have one element per row, and the zero point of the
// second operand may have one element per column.
Tensor matmul_integer(const Quantized& a, const Quantized& b,
                      std::source_location source = std::source_location::current());
// Returns the convolution (conv of <cutset/ops.h>) of images of i8 or u8 with filters of i8 or u8, minus
// their zero points, as i32. The zero point of the filters may have one element per output channel. Padding
// is the zero point of the images.
Tensor conv_integer(const Quantized& x, const Quantized& filter, const ConvOptions& options = {},
                    std::source_location source = std::source_location::current());

// A scale and a zero point of a result, which has the type of the zero point.
struct QuantizationScale {
  Tensor scale, zero_point;
};
// Returns matmul_integer quantized by `result`: round(product * a_scale * b_scale / scale) + zero_point,
// limited to the range of the type. a_scale may have one element per row, and b_scale one element per column.
// A product beyond 2^24 is rounded to f32 first.
Tensor qlinear_matmul(const Quantized& a, const Tensor& a_scale, const Quantized& b, const Tensor& b_scale,
                      const QuantizationScale& result,
                      std::source_location source = std::source_location::current());
// Returns conv_integer quantized by `result`, in the same way. filter_scale may have one element per output
// channel. The bias is empty or i32 [output channels], and stands for bias * x_scale * filter_scale.
Tensor qlinear_conv(const Quantized& x, const Tensor& x_scale, const Quantized& filter,
                    const Tensor& filter_scale, const QuantizationScale& result, const Tensor& bias = {},
                    const ConvOptions& options = {},
                    std::source_location source = std::source_location::current());

}  // namespace cutset::onnx_ops
