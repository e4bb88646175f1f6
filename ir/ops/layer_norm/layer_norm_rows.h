// SPDX-License-Identifier: Apache-2.0
// The rows that layer normalization normalizes, and their statistics.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>

#include "ir/core/result.h"

namespace cutset {

// A tensor as `count` rows of `width` elements. The dimensions before `axis` are the rows, and the dimensions
// from `axis` on are the elements of a row.
struct LayerNormRows {
  int axis = 0;
  int64_t count = 1, width = 1;
};

// Fails if `axis` is not a dimension. A negative axis counts from the end.
Result<LayerNormRows> layer_norm_rows(std::span<const int64_t> shape, int64_t axis);

// The mean of a row and 1 / sqrt(variance + epsilon). The variance is computed from deviations in a second
// pass, because the difference of two means of squares cancels.
struct RowStatistics {
  double mean = 0, scale = 0;
  // Inlined, because functions that are compiled for several processors call it.
  template <class T>
  [[gnu::always_inline]] RowStatistics(const T* row, int64_t width, double epsilon) {
    double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < width; ++j) sum += row[j];
    const double center = sum / static_cast<double>(width);
#pragma omp simd reduction(+ : squares)
    for (int64_t j = 0; j < width; ++j) squares += (row[j] - center) * (row[j] - center);
    mean = center;
    scale = 1 / std::sqrt(squares / static_cast<double>(width) + epsilon);
  }
};

// The following functions compute one row. They are inlined, because kernels that are compiled for several
// processors call them, as do the reference kernels. A result may be in the memory of an operand.

// Computes y = (x - mean) / sqrt(variance + epsilon) * scale + bias. `bias` is null if there is none.
template <class T>
[[gnu::always_inline]] inline void normalize_row(const T* x, const T* scale, const T* bias, T* y,
                                                 int64_t width, double epsilon) {
  const RowStatistics s(x, width, epsilon);
#pragma omp simd
  for (int64_t j = 0; j < width; ++j)
    y[j] = static_cast<T>((x[j] - s.mean) * s.scale * scale[j] + (bias ? bias[j] : 0));
}

// With n = (x - mean) / sqrt(variance + epsilon) and h = gradient * scale, the gradient of a row is (h -
// mean(h) - n * mean(h * n)) / sqrt(variance + epsilon). This is the derivative of the formula of Ba, Kiros
// and Hinton, "Layer normalization" (2016).
template <class T>
[[gnu::always_inline]] inline void gradient_of_row(const T* g, const T* x, const T* scale, T* d,
                                                   int64_t width, double epsilon) {
  const RowStatistics s(x, width, epsilon);
  double sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
  for (int64_t j = 0; j < width; ++j) {
    const double h = static_cast<double>(g[j]) * scale[j];
    sum += h;
    product += h * (x[j] - s.mean) * s.scale;
  }
  const double mean = sum / static_cast<double>(width), slope = product / static_cast<double>(width);
#pragma omp simd
  for (int64_t j = 0; j < width; ++j) {
    const double h = static_cast<double>(g[j]) * scale[j], n = (x[j] - s.mean) * s.scale;
    d[j] = static_cast<T>((h - mean - n * slope) * s.scale);
  }
}

// Adds gradient * n to `sums` for the elements [first, last) of the row. There may be millions of rows, so
// the sums are f64.
template <class T>
[[gnu::always_inline]] inline void add_scale_of_row(const T* g, const T* x, double* sums, int64_t width,
                                                    double epsilon, int64_t first, int64_t last) {
  const RowStatistics s(x, width, epsilon);
#pragma omp simd
  for (int64_t j = first; j < last; ++j) sums[j - first] += g[j] * ((x[j] - s.mean) * s.scale);
}

}  // namespace cutset
