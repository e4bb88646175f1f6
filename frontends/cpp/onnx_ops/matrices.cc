// SPDX-License-Identifier: Apache-2.0
#include <cutset/onnx_ops/matrices.h>

#include <bit>
#include <vector>

#include "frontends/cpp/functional/compose_in_f32.h"

namespace cutset::onnx_ops {

// The minor of the first k rows and a set of k columns is expanded along its last row, into minors with one
// row less. Each minor is computed once.
Tensor determinant(const Tensor& x, std::source_location source) {
  const auto again = [x = kept(x), source](const Counterpart& now) { return determinant(now(x), source); };
  return compose_in_f32(x, "determinant", source, again, std::tie(x), [&](const Tensor& x) {
    const int64_t rank = x.type().rank(), n = rank < 2 ? 0 : x.shape().back();
    if (n < 1 || n > 6 || x.shape()[static_cast<size_t>(rank - 2)] != n || !is_float(x.dtype()))
      refuse(x, "determinant", "square matrices of 1 to 6 rows and a floating-point type", source);
    const auto element = [&](int64_t row, int64_t column) {  // [..., 1, 1]
      const Tensor of_row = ops::slice(x, {.axis = rank - 2, .start = row, .length = 1}, source);
      return ops::slice(of_row, {.axis = rank - 1, .start = column, .length = 1}, source);
    };
    std::vector<Tensor> minors(size_t{1} << n);  // by the set of columns
    for (unsigned columns = 1; columns < minors.size(); ++columns) {
      const int rows = std::popcount(columns);
      Tensor& minor = minors[columns];
      int behind = rows - 1;  // the columns of the set after the current one
      for (int64_t c = 0; c < n; ++c) {
        if (!(columns >> c & 1)) continue;
        const Tensor& rest = minors[columns ^ (1u << c)];
        const Tensor factor = element(rows - 1, c),
                     product = rest.defined() ? mul(factor, rest, source) : factor;
        const bool negative = behind-- % 2 != 0;
        if (!minor.defined())
          minor = negative ? neg(product, source) : product;
        else
          minor = negative ? sub(minor, product, source) : add(minor, product, source);
      }
    }
    Shape shape(x.shape().begin(), x.shape().end() - 2);
    for (int64_t& size : shape) size = 0;  // keep the sizes of x; one of them may be the batch
    return reshape(minors.back(), {.shape = shape}, source);
  });
}

}  // namespace cutset::onnx_ops
