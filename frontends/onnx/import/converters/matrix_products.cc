// SPDX-License-Identifier: Apache-2.0
// Products of matrices and of other tensors.
#include <cutset/constants.h>
#include <cutset/einsum.h>
#include <cutset/onnx_ops/integer_products.h>
#include <cutset/onnx_ops/matrices.h>
#include <cutset/shapes.h>

#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/nodes/activation_functions.h"

namespace cutset::onnx {
namespace {

// Applies `multiply` to two matrices. A vector on the left becomes a row, and a vector on the right becomes a
// column. The dimension that was added is removed from the product.
template <class Multiply>
Tensor product(const Tensor& x, const Tensor& y, Multiply multiply) {
  const bool row = x.type().rank() == 1, column = y.type().rank() == 1;
  Tensor z = multiply(row ? unsqueeze(x, {0}) : x, column ? unsqueeze(y, {1}) : y);
  if (column) z = squeeze(z, {-1});
  return row ? squeeze(z, {column ? -1 : -2}) : z;
}

Results matmul_of(Node& n) {
  return {product(n.in(0), n.in(1), [](const Tensor& x, const Tensor& y) { return matmul(x, y); })};
}

// Computes alpha * x * y + beta * z. x and y are transposed first if the attributes say so. Before version 7,
// z broadcasts only if an attribute says so.
Results gemm(Node& n) {
  const double alpha = n.real("alpha", 1), beta = n.real("beta", 1);
  const bool broadcasts = n.opset() >= 7 || n.number("broadcast", 0) != 0;
  Tensor product =
      matmul(n.in(0), n.in(1),
             {.transpose_x = n.number("transA", 0) != 0, .transpose_y = n.number("transB", 0) != 0});
  if (alpha != 1) product = product * alpha;
  if (!n.has(2)) return {product};
  if (!broadcasts && n.type(2).shape != product.shape())
    invalid("C is " + to_string(n.type(2)) + " and the product " + to_string(product.type()) +
            "; before version 7 of the operator set, they need the attribute broadcast = 1");
  return {product + (beta == 1 ? n.in(2) : n.in(2) * beta)};
}

// Converts ONNX Runtime's product of matrices times alpha. The last two dimensions of an operand are
// transposed first if its attribute says so.
Results fused_matmul_of(Node& n) {
  for (const char* name : {"transBatchA", "transBatchB"})
    if (n.number(name, 0)) unsupported("the attribute '" + std::string(name) + "'");
  const auto operand = [&](int i, const char* name) {
    const Tensor x = n.in(i);
    const int64_t rank = x.type().rank();
    return n.number(name, 0) && rank > 1 ? move_axis(x, rank - 1, rank - 2) : x;
  };
  const Tensor x = operand(0, "transA"), y = operand(1, "transB");
  const Tensor z = product(x, y, [](const Tensor& a, const Tensor& b) { return matmul(a, b); });
  const double alpha = n.real("alpha", 1);
  return {alpha == 1 ? z : z * alpha};
}

Results fused_gemm(Node& n) {
  const auto given = [&](const char* name) {
    return n.has_attribute(name) ? std::optional(n.real(name, 0)) : std::nullopt;
  };
  const std::string activation = n.text("activation", "");
  const std::optional<double> alpha = given("activation_alpha"), beta = given("activation_beta");
  if (n.has_attribute("activation_gamma")) unsupported("the attribute 'activation_gamma'");
  const Tensor y = gemm(n)[0].tensor;
  return {activation.empty() ? y : activation_function(activation, alpha, beta)(y)};
}

Results einsum_of(Node& n) { return {einsum(n.text("equation", ""), n.all())}; }

Results matmul_integer_of(Node& n) {
  return {product(n.in(0), n.in(1), [&](const Tensor& x, const Tensor& y) {
    return onnx_ops::matmul_integer({x, n.optional(2)}, {y, n.optional(3)});
  })};
}

Results qlinear_matmul_of(Node& n) {
  return {product(n.in(0), n.in(3), [&](const Tensor& x, const Tensor& y) {
    return onnx_ops::qlinear_matmul({x, n.in(2)}, n.in(1), {y, n.in(5)}, n.in(4), {n.in(6), n.in(7)});
  })};
}

}  // namespace

static void add_matrix_products(Converters& table) {
  table.insert({{"Det", [](Node& n) -> Results { return {onnx_ops::determinant(n.in(0))}; }},
                {"MatMul", matmul_of},
                {"Gemm", gemm},
                {"com.microsoft.FusedGemm", fused_gemm},
                {"com.microsoft.FusedMatMul", fused_matmul_of},
                {"com.microsoft.TransposeMatMul", fused_matmul_of},
                {"Einsum", einsum_of},
                {"MatMulInteger", matmul_integer_of},
                {"QLinearMatMul", qlinear_matmul_of}});
}

static const ConverterFamily kMatrixProductsConverters(add_matrix_products);

}  // namespace cutset::onnx
