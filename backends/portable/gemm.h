// SPDX-License-Identifier: Apache-2.0
// The matrix product that matmul and the convolutions use, and the products that make up a batched matmul.
#pragma once
#include <functional>

#include "backends/portable/launches.h"
#include "ir/ops/matmul/matmul_attrs.h"

namespace cutset::portable {

// c[b][m][n] = bias + sum over q and k of a[b][q][m][k] * y[b][q][k][n], in f32, where the bias is 0, bias[m]
// or bias[n]. The products are added in blocks (block_sums.h) of kGemmBlock, in the order of q and k. The
// epilogue `relu` replaces each negative element of c by 0 and keeps NaN.
struct Gemm {
  int64_t batch = 1, m = 0, n = 0, k = 0, q = 1;  // the sizes
  // The strides in elements; 0 repeats the operand. Each row of c is contiguous. The backend `opencl` also
  // needs contiguous rows of y.
  int64_t a_batch = 0, a_q = 0, a_row = 0, a_column = 0;
  int64_t y_batch = 0, y_q = 0, y_row = 0, y_column = 1;
  int64_t c_batch = 0, c_row = 0;
  int64_t a_offset = 0, y_offset = 0, c_offset = 0, bias_offset = 0;  // the indices of the first elements
  enum class Bias { kNone, kOfRow, kOfColumn } bias = Bias::kNone;
  bool relu = false;
};
// A block is larger than SUM_BLOCK, because a thread adds many sums in registers at the same time.
inline constexpr int64_t kGemmBlock = 256;
// Appends a launch of the product. `bias` is null if and only if g.bias is kNone.
void add_gemm(Launches& list, const Gemm& g, Argument a, Argument y, Argument c,
              const Argument* bias = nullptr);

// A kernel of products and its grid. Its parameters are GEMM_PARAMETERS, which BIND_GEMM binds. They are the
// four tensors and the members of Gemm: `bias_of` is `bias`, ab is a_batch, ar is a_row, ac is a_column, ao
// is a_offset, and so on. BLOCK is kGemmBlock.
struct GemmKernel {
  const char* source;
  const char* name;
  Grid grid;
};
// Returns the kernel for a product. Each backend defines this function.
GemmKernel gemm_kernel(const Gemm& g);

// Calls `add` for each product of a matmul with the operands 0 and 1 of the problem: once if one stride is
// enough to find the matrices of the whole batch, and otherwise once per matrix. The strides a_row, a_column,
// c_batch and c_row are set, the rows of y are contiguous, and there is no epilogue.
void for_each_product(const abi::Problem& p, const MatmulAttrs& a,
                      const std::function<void(const Gemm&)>& add);

}  // namespace cutset::portable
