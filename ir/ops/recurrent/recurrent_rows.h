// SPDX-License-Identifier: Apache-2.0
// Functions that the reference kernels of lstm, gru, rnn and their backward ops share.
#pragma once
#include <cmath>

#include "ir/core/tensor_view.h"
#include "ir/ops/recurrent/recurrent_steps.h"

namespace cutset {

template <class T>
T sigmoid_of(T x) {
  return 1 / (1 + std::exp(-x));
}

// Returns the steps of row n of the batch. `lengths` has no element if every row has all steps.
inline RecurrentSteps steps_of(const RecurrentSizes& s, int64_t n, Views lengths, bool reverse) {
  RecurrentSteps row{s.steps, s.steps, reverse};
  if (!lengths.empty())
    row.length = lengths[0].dtype == DType::i64 ? lengths[0].as<int64_t>()[n] : lengths[0].as<int32_t>()[n];
  return row;
}

// Returns the product of a row of a matrix and a vector.
template <class T>
T dot(const T* row, const T* vector, int64_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t k = 0; k < n; ++k) sum += row[k] * vector[k];
  return sum;
}
// Adds the product of the vector of `rows` elements and the matrix [rows, columns] to `sums`, row by row.
template <class T>
void add_product(const T* vector, const T* matrix, int64_t rows, int64_t columns, T* sums) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < columns; ++j) sums[j] += vector[r] * matrix[r * columns + j];
}

}  // namespace cutset
