// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/ops/matmul/matmul_rules.h"
#include "ir/ops/matmul/matmul_shape.h"

namespace cutset::rules::matmul {

// The number of terms that are added one after the other. The sums of these blocks are added in f64, so that
// long products lose no digits.
constexpr int64_t kBlock = 64;

// Returns the dot product of lines of n elements. The elements of x are `step` elements apart, and the
// elements of y are contiguous.
template <class T>
static T dot(const T* x, int64_t step, const T* y, int64_t n) {
  double sum = 0;
  for (int64_t first = 0; first < n; first += kBlock) {
    const int64_t last = std::min(first + kBlock, n);
    T part = 0;
#pragma omp simd reduction(+ : part)
    for (int64_t k = first; k < last; ++k) part += x[k * step] * y[k];
    sum += part;
  }
  return static_cast<T>(sum);
}

// Computes the product of a row of x and the columns [begin, begin + columns) of y, at most kColumns columns.
constexpr int64_t kColumns = 256;
template <class T>
static void multiply_columns(const MatmulShape& s, const T* x, const T* y, int64_t begin, int64_t columns,
                             T* row) {
  double sums[kColumns];
  std::fill_n(sums, columns, 0.0);
  for (int64_t first = 0; first < s.k; first += kBlock) {
    T part[kColumns];
    std::fill_n(part, columns, T{0});
    for (int64_t k = first, last = std::min(first + kBlock, s.k); k < last; ++k) {
      const T v = x[k * s.x_column], *from = y + k * s.y_row + begin;
      for (int64_t j = 0; j < columns; ++j) part[j] += v * from[j];
    }
    for (int64_t j = 0; j < columns; ++j) sums[j] += part[j];
  }
  for (int64_t j = 0; j < columns; ++j) row[begin + j] = static_cast<T>(sums[j]);
}

Status reference(const MatmulAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const MatmulShape s, matmul_shape(in[0].shape, in[1].shape, a.transpose_x, a.transpose_y));
  const auto stack = out[0].shape.first(out[0].shape.size() - 2);
  Strides strides[2] = {broadcast_strides(in[0].shape.first(in[0].shape.size() - 2), stack),
                        broadcast_strides(in[1].shape.first(in[1].shape.size() - 2), stack)};
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    for_each_element(stack, strides, [&](int64_t b, const int64_t (&at)[2]) {
      const T *x = in[0].as<T>() + at[0] * s.m * s.k, *y = in[1].as<T>() + at[1] * s.k * s.n;
      T* z = out[0].as<T>() + b * s.m * s.n;
      for (int64_t i = 0; i < s.m; ++i) {
        T* row = z + i * s.n;
        if (s.k == 0) {  // operands without elements may be null
          std::fill_n(row, s.n, T{0});
          continue;
        }
        if (s.y_row == 1) {  // each column of y is contiguous, so each element is computed as one dot product
          for (int64_t j = 0; j < s.n; ++j)
            row[j] = dot(x + i * s.x_row, s.x_column, y + j * s.y_column, s.k);
          continue;
        }
        for (int64_t begin = 0; begin < s.n; begin += kColumns)
          multiply_columns(s, x + i * s.x_row, y, begin, std::min(kColumns, s.n - begin), row);
      }
    });
  });
}

}  // namespace cutset::rules::matmul
