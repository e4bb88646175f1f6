// The rows that layer normalization normalizes, and their statistics.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>

#include "ir/core/result.h"

namespace cutset {

// A tensor as `count` rows of `width` elements: the dimensions before `axis`, and those from `axis` on.
struct LayerNormRows {
  int axis = 0;
  int64_t count = 1, width = 1;
};

// Fails if `axis` is not a dimension. A negative axis counts from the end.
Result<LayerNormRows> layer_norm_rows(std::span<const int64_t> shape, int64_t axis);

// The mean of a row and 1 / sqrt(variance + epsilon). The variance is computed from deviations in a second pass, because
// the difference of two means of squares cancels.
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
    mean = center, scale = 1 / std::sqrt(squares / static_cast<double>(width) + epsilon);
  }
};

}  // namespace cutset
