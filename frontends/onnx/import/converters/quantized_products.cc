// SPDX-License-Identifier: Apache-2.0
// Ops of ONNX Runtime on integers that stand for numbers, which its quantization tool writes in the format
// QOperator.
#include <cutset/activations.h>
#include <cutset/layers.h>
#include <cutset/onnx_ops/integer_products.h>
#include <cutset/onnx_ops/quantization.h>
#include <cutset/pooling.h>
#include <cutset/quantization.h>
#include <cutset/shapes.h>

#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

// Changes a scale or a zero point with one element to a scalar, which applies to the whole tensor.
Tensor whole(const Tensor& t) {
  return t.defined() && t.type().elements() == 1 ? reshape(t, {.shape = {}}) : t;
}

// Returns the numbers that operand `i` stands for. The next two operands are its scale and its zero point.
Tensor dequantized(Node& n, int i) {
  return dequantize_linear(n.in(i), whole(n.in(i + 1)), whole(n.optional(i + 2)));
}
// Quantizes numbers. Operand `i` is the scale, and operand `i` + 1 the zero point. The integers have the type
// of the zero point, or of operand `like` if there is no zero point.
Tensor integers_of(Node& n, const Tensor& numbers, int i, int like) {
  return quantize_linear(numbers, whole(n.in(i)), whole(n.optional(i + 1)), n.type(like).dtype);
}

template <auto kFunction>
Results binary(Node& n) {
  return {
      integers_of(n, kFunction(dequantized(n, 0), dequantized(n, 3), std::source_location::current()), 6, 0)};
}
Results sigmoid_of(Node& n) { return {integers_of(n, sigmoid(dequantized(n, 0)), 3, 0)}; }
Results leaky_relu_of(Node& n) {
  return {integers_of(n, leaky_relu(dequantized(n, 0), n.real("alpha", 0.01)), 3, 0)};
}
Results global_average(Node& n) {
  if (n.number("channels_last", 0)) unsupported("channels_last");
  return {integers_of(n, global_avg_pool(dequantized(n, 0)), 3, 0)};
}
Results concatenated(Node& n) {
  std::vector<Tensor> parts;
  for (int i = 2; i < n.operands(); i += 3) parts.push_back(dequantized(n, i));
  if (parts.empty() || !n.has_attribute("axis")) invalid("an operand or the axis is missing");
  return {integers_of(n, concat(parts, {.axis = n.number("axis", 0)}), 0, 2)};
}

// Converts a product of matrices of integers to numbers with this scale.
Tensor scaled(const Tensor& product, const Tensor& scale) {
  return cast(product, {.dtype = scale.dtype()}) * scale;
}

Results quantized_gemm(Node& n) {
  const auto matrix = [&](int i, const char* name) {
    const Tensor x = n.in(i);
    if (x.type().rank() != 2)
      invalid("operand " + std::to_string(i) + " is " + to_string(x.type()) + ", no matrix");
    return n.number(name, 0) ? transpose(x, {.permutation = {1, 0}}) : x;
  };
  const double alpha = n.real("alpha", 1);
  Tensor sum =
      onnx_ops::matmul_integer({matrix(0, "transA"), whole(n.in(2))}, {matrix(3, "transB"), whole(n.in(5))});
  if (n.has(6)) sum = sum + n.in(6);
  const Tensor y = scaled(sum, whole(n.in(1)) * whole(n.in(4)) * alpha);
  return {n.has(7) ? integers_of(n, y, 7, 0) : y};
}

Results with_bias(Node& n, const Tensor& y, int bias) { return {n.has(bias) ? y + n.in(bias) : y}; }

Results integer_product_as_numbers(Node& n) {
  const Tensor y = onnx_ops::matmul_integer({n.in(0), whole(n.optional(4))}, {n.in(1), whole(n.optional(5))});
  return with_bias(n, scaled(y, whole(n.in(2)) * whole(n.in(3))), 6);
}
Results dynamically_quantized_product(Node& n) {
  const onnx_ops::DynamicallyQuantized a = onnx_ops::dynamic_quantize_linear(n.in(0));
  const Tensor y = onnx_ops::matmul_integer({a.y, a.zero_point}, {n.in(1), whole(n.optional(3))});
  return with_bias(n, scaled(y, a.scale * whole(n.in(2))), 4);
}

}  // namespace

static void add_quantized_products(Converters& table) {
  table.insert({{"com.microsoft.DynamicQuantizeMatMul", dynamically_quantized_product},
                {"com.microsoft.MatMulIntegerToFloat", integer_product_as_numbers},
                {"com.microsoft.QGemm", quantized_gemm},
                {"com.microsoft.QLinearAdd", binary<&add>},
                {"com.microsoft.QLinearConcat", concatenated},
                {"com.microsoft.QLinearGlobalAveragePool", global_average},
                {"com.microsoft.QLinearLeakyRelu", leaky_relu_of},
                {"com.microsoft.QLinearMul", binary<&mul>},
                {"com.microsoft.QLinearSigmoid", sigmoid_of}});
}

static const ConverterFamily kQuantizedProductsConverters(add_quantized_products);

}  // namespace cutset::onnx
