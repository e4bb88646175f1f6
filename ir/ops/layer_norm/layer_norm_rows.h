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
  template <class T>
  RowStatistics(const T* row, int64_t width, double epsilon) {
    for (int64_t j = 0; j < width; ++j) mean += row[j];
    mean /= static_cast<double>(width);
    double squares = 0;
    for (int64_t j = 0; j < width; ++j) squares += (row[j] - mean) * (row[j] - mean);
    scale = 1 / std::sqrt(squares / static_cast<double>(width) + epsilon);
  }
};

}  // namespace cutset
