// The matrix product that matmul and the convolutions use.
#pragma once
#include "backends/opencl/launch.h"

namespace cutset::opencl {

// c[b][m][n] = bias[m] + sum over q and k of a[b][q][m][k] * y[b][q][k][n], in f32.
//
// A work-item computes 8 rows of 16 columns in registers. It uses no local memory and no barriers, so it
// runs well on CPUs. The products are summed over k for each q, and then these sums are added, so that the longest
// chain of roundings stays short.
struct Gemm {
  int64_t batch = 1, m = 0, n = 0, k = 0, q = 1;  // the sizes
  // The strides in elements; 0 repeats the operand. Each row of y and c is contiguous.
  int64_t a_batch = 0, a_q = 0, a_row = 0, a_column = 0;
  int64_t y_batch = 0, y_q = 0, y_row = 0;
  int64_t c_batch = 0, c_row = 0;
  int64_t a_offset = 0, y_offset = 0, c_offset = 0;  // the indices of the first elements
};
// Appends a launch of the product. `bias` may be null.
void add_gemm(Launches& list, const Gemm& g, Launches::Argument a, Launches::Argument y, Launches::Argument c,
              const Launches::Argument* bias = nullptr);

}  // namespace cutset::opencl
