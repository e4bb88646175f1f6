// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/gemm.h"

#include "backends/portable/block_sums.h"
#include "backends/portable/macros.h"
#include "ir/core/tensor_view.h"
#include "ir/ops/matmul/matmul_shape.h"

namespace cutset::portable {

static const char* const kGemmParameters = R"(
#define GEMM_PARAMETERS                                                                                     \
  TENSOR(const float, a), TENSOR(const float, y), TENSOR(float, c), TENSOR(const float, bias), int bias_of, \
  int relu, int batch, int m, int n, int k, int q, int ab, int aq, int ar, int ac, int yb, int yq, int yr,  \
  int yc, int cb, int cr, int ao, int yo, int co, int bo
#define BIND_GEMM BIND(const float, a); BIND(const float, y); BIND(float, c); BIND(const float, bias)
)";

void add_gemm(Launches& list, const Gemm& g, Argument a, Argument y, Argument c, const Argument* bias) {
  const GemmKernel kernel = gemm_kernel(g);
  const std::string source =
      kBlockSums + definitions({{"BLOCK", std::to_string(kGemmBlock)}}) + kGemmParameters + kernel.source;
  list.add(source, kernel.name, kernel.grid,
           {a,
            y,
            c,
            bias ? *bias : a,
            static_cast<int64_t>(g.bias),
            g.relu ? 1 : 0,
            g.batch,
            g.m,
            g.n,
            g.k,
            g.q,
            g.a_batch,
            g.a_q,
            g.a_row,
            g.a_column,
            g.y_batch,
            g.y_q,
            g.y_row,
            g.y_column,
            g.c_batch,
            g.c_row,
            g.a_offset,
            g.y_offset,
            g.c_offset,
            g.bias_offset});
}

// Whether one stride is enough to find every matrix of a batch of shape `from` that is broadcast to the shape
// `to`: the batch is a single matrix, or it has as many matrices as `to`.
static bool has_one_stride(std::span<const int64_t> from, std::span<const int64_t> to) {
  return elements(from) == 1 || elements(from) == elements(to);
}

void for_each_product(const abi::Problem& p, const MatmulAttrs& attributes,
                      const std::function<void(const Gemm&)>& add) {
  const MatmulShape s =
      *matmul_shape(p.in_shape(0), p.in_shape(1), attributes.transpose_x, attributes.transpose_y);
  const auto stack_of = [](std::span<const int64_t> shape) { return shape.first(shape.size() - 2); };
  const auto stack_x = stack_of(p.in_shape(0)), stack_y = stack_of(p.in_shape(1)),
             stack = stack_of(p.out_shape(0));
  Gemm g{.batch = s.batch,
         .m = s.m,
         .n = s.n,
         .k = s.k,
         .a_row = s.x_row,
         .a_column = s.x_column,
         .y_row = s.n,
         .c_batch = s.m * s.n,
         .c_row = s.n};
  g.a_batch = elements(stack_x) == 1 ? 0 : s.m * s.k;
  g.y_batch = elements(stack_y) == 1 ? 0 : s.k * s.n;
  if (has_one_stride(stack_x, stack) && has_one_stride(stack_y, stack)) return add(g);
  g.batch = 1;
  const Strides strides[2] = {broadcast_strides(stack_x, stack), broadcast_strides(stack_y, stack)};
  for_each_element(stack, strides, [&](int64_t b, const int64_t (&offset)[2]) {
    g.a_offset = offset[0] * s.m * s.k;
    g.y_offset = offset[1] * s.k * s.n;
    g.c_offset = b * s.m * s.n;
    add(g);
  });
}

}  // namespace cutset::portable
