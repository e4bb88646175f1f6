// The matrix product that convolutions and matmul are made of.
#pragma once
#include "backends/opencl/launch.h"

namespace cutset::opencl {

// c[b][m][n] = bias[m] + sum over q, k of a[b][q][m][k] * y[b][q][k][n], with element strides. The columns
// of y and c are contiguous. A work-item makes 8 rows of 16 columns in registers, without local memory or
// barriers: what CPUs run well. Sums over k are made for each q apart, then added, so the longest chain of
// roundings stays short.
struct Gemm {
  int64_t batch = 1, m = 0, n = 0, k = 0, q = 1;
  int64_t a_batch = 0, a_q = 0, a_row = 0, a_column = 0;
  int64_t y_batch = 0, y_q = 0, y_row = 0;
  int64_t c_batch = 0, c_row = 0;
  int64_t a_offset = 0, y_offset = 0, c_offset = 0;  // of the first elements
};
void add_gemm(Launches& list, const Gemm& g, Launches::Argument a, Launches::Argument y, Launches::Argument c,
              const Launches::Argument* bias = nullptr);

}  // namespace cutset::opencl
