#include "ir/ops/matmul/matmul_rules.h"
#include "ir/ops/matmul/matmul_shape.h"

namespace cutset::rules::matmul {

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
        if (s.y_row == 1) {  // each column of y is contiguous, so each element is computed as one dot product
          for (int64_t j = 0; j < s.n; ++j) {
            T sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t k = 0; k < s.k; ++k) sum += x[i * s.x_row + k * s.x_column] * y[j * s.y_column + k];
            row[j] = sum;
          }
          continue;
        }
        for (int64_t j = 0; j < s.n; ++j) row[j] = 0;
        for (int64_t k = 0; k < s.k; ++k) {
          const T v = x[i * s.x_row + k * s.x_column];
          for (int64_t j = 0; j < s.n; ++j) row[j] += v * y[k * s.y_row + j];
        }
      }
    });
  });
}

}  // namespace cutset::rules::matmul
