// SPDX-License-Identifier: Apache-2.0
// The sizes and strides of a batch of matrix products.
#pragma once
#include <span>

#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

// `batch` products of an m x k matrix from x and a k x n matrix from y, after transposition.
struct MatmulShape {
  int64_t batch, m, n, k;
  int64_t x_row, x_column;  // the strides of a matrix of x along m and k, in elements
  int64_t y_row, y_column;  // the strides of a matrix of y along k and n, in elements
};
// Fails if the shapes violate constraint C1, C2, C3 or C4 of matmul.
Result<MatmulShape> matmul_shape(std::span<const int64_t> x, std::span<const int64_t> y, bool transpose_x,
                                 bool transpose_y);

}  // namespace cutset
