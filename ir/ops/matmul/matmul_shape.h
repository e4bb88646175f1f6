// The sizes of a (batched) matrix product.
#pragma once
#include <span>

#include "ir/core/types.h"

namespace cutset {

struct MatmulShape {
  int64_t batch, m, n, k;
  int64_t x_row, x_column, y_row, y_column;  // element strides of (m, k) in x and of (k, n) in y
};
Result<MatmulShape> matmul_shape(std::span<const int64_t> x, std::span<const int64_t> y, bool transpose_x,
                                 bool transpose_y);

}  // namespace cutset
