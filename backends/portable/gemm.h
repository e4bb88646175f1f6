// The matrix product that matmul and the convolutions use, and the products of which a batched matmul consists.
#pragma once
#include <functional>

#include "backends/portable/launches.h"

namespace cutset::portable {

// c[b][m][n] = bias[m] + sum over q and k of a[b][q][m][k] * y[b][q][k][n], in f32. The products are summed over k for
// each q, and then these sums are added, so that the longest chain of roundings stays short.
struct Gemm {
  int64_t batch = 1, m = 0, n = 0, k = 0, q = 1;  // the sizes
  // The strides in elements; 0 repeats the operand. Each row of c is contiguous. The backend `opencl` needs a
  // contiguous row of y, too.
  int64_t a_batch = 0, a_q = 0, a_row = 0, a_column = 0;
  int64_t y_batch = 0, y_q = 0, y_row = 0, y_column = 1;
  int64_t c_batch = 0, c_row = 0;
  int64_t a_offset = 0, y_offset = 0, c_offset = 0;  // the indices of the first elements
};
// Appends a launch of the product. `bias` may be null. Each backend defines this function.
void add_gemm(Launches& list, const Gemm& g, Argument a, Argument y, Argument c, const Argument* bias = nullptr);

// Calls `add` for each product of a matmul: once if one stride is enough to find the matrices of the whole batch, and
// otherwise once per matrix. The strides a_row, a_column, c_batch and c_row are set, and the rows of y are contiguous.
void for_each_product(const abi::Problem& p, const std::function<void(const Gemm&)>& add);

}  // namespace cutset::portable
