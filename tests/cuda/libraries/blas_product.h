// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the double of cuBLASLt.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cutset::cuda::doubles {

// A batch of matrices. Element (row, column) of matrix number b has the index
// b * batch_stride + row * row_stride + column * column_stride.
struct MatrixStrides {
  int64_t row_stride = 0, column_stride = 0, batch_stride = 0;
  size_t index(int64_t b, int64_t row, int64_t column) const {
    return static_cast<size_t>(b * batch_stride + row * row_stride + column * column_stride);
  }
};

// d = alpha * a * b + beta * c + bias for `batch` matrices. a has m rows and k columns, b has k rows and n
// columns.
struct HostProduct {
  int64_t batch = 0, m = 0, n = 0, k = 0;
  float alpha = 0, beta = 0;
  const float *a = nullptr, *b = nullptr, *c = nullptr;  // c is not read if beta is 0.
  const float* bias = nullptr;                           // has one element per row of d, or is null
  float* d = nullptr;
  MatrixStrides a_strides = {}, b_strides = {}, c_strides = {}, d_strides = {};
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
};

// Fills the workspace with NaN, and then computes the product. Each sum is accumulated in f64 and rounded
// once.
void multiply(const HostProduct& p);

}  // namespace cutset::cuda::doubles
