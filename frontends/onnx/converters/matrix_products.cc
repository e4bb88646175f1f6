// Products of matrices.
#include <cutset/constants.h>
#include <cutset/matrices.h>
#include <cutset/shapes.h>

#include "frontends/onnx/converters.h"

namespace cutset::onnx {
namespace {

// A vector on the left is a row, a vector on the right a column, and the dimension that makes it a matrix is removed from
// the product.
Tensor product(const Tensor& x, const Tensor& y) {
  const bool row = x.type().rank() == 1, column = y.type().rank() == 1;
  Tensor z = matmul(row ? unsqueeze(x, {0}) : x, column ? unsqueeze(y, {1}) : y);
  if (column) z = squeeze(z, {-1});
  return row ? squeeze(z, {column ? -1 : -2}) : z;
}

Results matmul_of(Node& n) { return {product(n.in(0), n.in(1))}; }

// alpha * x * y + beta * z, where x and y are transposed first if the attributes say so.
Results gemm(Node& n) {
  const double alpha = n.real("alpha", 1), beta = n.real("beta", 1);
  Tensor product =
      matmul(n.in(0), n.in(1), {.transpose_x = n.number("transA", 0) != 0, .transpose_y = n.number("transB", 0) != 0});
  if (alpha != 1) product = product * alpha;
  if (!n.has(2)) return {product};
  return {product + (beta == 1 ? n.in(2) : n.in(2) * beta)};
}

// The numbers that integers stand for, as f32: x - zero. Their product is exact while its sums stay below 2^24.
Tensor centred(Node& n, int x, int zero, int64_t axis) {
  const Tensor numbers = cast(n.in(x), {.dtype = f32});
  if (!n.has(zero)) return numbers;
  Tensor offset = cast(n.in(zero), {.dtype = f32});
  if (offset.type().rank() == 1 && offset.type().elements() != 1 && axis == -2) offset = unsqueeze(offset, {1});
  return numbers - (offset.type().elements() == 1 ? reshape(offset, {.shape = {}}) : offset);
}

Results matmul_integer(Node& n) {
  const Shape& shape = n.type(0).shape;
  if (shape.empty() || shape.back() > 258)
    unsupported("a sum of more than 258 products of 8-bit integers");  // 258 * 255^2 < 2^24
  return {cast(product(centred(n, 0, 2, -2), centred(n, 1, 3, -1)), {.dtype = i32})};
}

}  // namespace

void add_matrix_products(Converters& table) {
  table.insert({{"Det", [](Node& n) -> Results { return {determinant(n.in(0))}; }},
                {"MatMul", matmul_of},
                {"Gemm", gemm},
                {"MatMulInteger", matmul_integer}});
}

}  // namespace cutset::onnx
