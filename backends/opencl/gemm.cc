// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/gemm.h"

#include "backends/opencl/launch.h"
#include "backends/portable/block_sums.h"
#include "backends/portable/macros.h"

namespace cutset::portable {

// A work-item computes 8 rows of 16 columns in registers. It uses no local memory and no barriers, so it runs
// well on CPUs.
static const char* kGemmSource = R"(
#define ROWS 8
// Computes ROWS rows of 16 columns, which begin at column x.
KERNEL(gemm)(TENSOR(const float, a), TENSOR(const float, y), TENSOR(float, c), TENSOR(const float, bias),
                   int bias_of, int relu, int m, int n, int k, int q, int ab, int aq, int ar, int ac, int yb, int yq, int yr,
                   int cb, int cr, int ao, int yo, int co, int bo) {
  BIND(const float, a); BIND(const float, y); BIND(float, c); BIND(const float, bias);
  int x = ITEM * 16, row = get_global_id(1) * ROWS, b = get_global_id(2);
  if (x + 16 > n) x = n - 16;  // the last tile overlaps its neighbour, and both write the same values
  a += ao + b * ab; y += yo + b * yb; c += co + b * cb;
  int r[ROWS];
  for (int i = 0; i < ROWS; i++) r[i] = min(row + i, m - 1) * ar;
  float16 sum[ROWS];
  for (int i = 0; i < ROWS; i++)
    sum[i] = bias_of == 1   ? (float16)(bias[bo + min(row + i, m - 1)])
             : bias_of == 2 ? vload16(0, bias + bo + x)
                            : (float16)(0);
  float16 part[ROWS];
  for (int i = 0; i < ROWS; i++) part[i] = (float16)(0);
  int left = BLOCK;
  for (int w = 0; w < q; w++) {
    GLOBAL const float* p = a + w * aq;
    GLOBAL const float* v = y + w * yq + x;
    for (int t = 0; t < k;) {
      int end = k - t < left ? k : t + left;
      for (left -= end - t; t < end; t++) {
        float16 line = vload16(0, v + t * yr);
        for (int i = 0; i < ROWS; i++) part[i] = fma((float16)(p[r[i] + t * ac]), line, part[i]);
      }
      if (left > 0) continue;
      for (int i = 0; i < ROWS; i++) END_BLOCK_OF(float16, sum[i], part[i]);
      left = BLOCK;
    }
  }
  for (int i = 0; i < ROWS && row + i < m; i++) {
    sum[i] += part[i];
    if (relu) sum[i] = sum[i] < (float16)(0) ? (float16)(0) : sum[i];
    vstore16(sum[i], 0, c + (row + i) * cr + x);
  }
}
// For fewer than 16 columns: computes one element per work-item.
KERNEL(narrow)(TENSOR(const float, a), TENSOR(const float, y), TENSOR(float, c), TENSOR(const float, bias),
                     int bias_of, int relu, int m, int n, int k, int q, int ab, int aq, int ar, int ac, int yb, int yq,
                     int yr, int cb, int cr, int ao, int yo, int co, int bo) {
  BIND(const float, a); BIND(const float, y); BIND(float, c); BIND(const float, bias);
  int x = ITEM, row = get_global_id(1), b = get_global_id(2);
  a += ao + b * ab + row * ar; y += yo + b * yb + x;
  float sum = bias_of ? bias[bo + (bias_of == 1 ? row : x)] : 0, part = 0;
  int left = BLOCK;
  for (int w = 0; w < q; w++)
    for (int t = 0; t < k;) {
      int end = k - t < left ? k : t + left;
      for (left -= end - t; t < end; t++) part = fma(a[w * aq + t * ac], y[w * yq + t * yr], part);
      if (left > 0) continue;
      END_BLOCK(sum, part);
      left = BLOCK;
    }
  sum += part;
  c[co + b * cb + row * cr + x] = relu && sum < 0 ? 0 : sum;
}
)";

void add_gemm(Launches& list, const Gemm& g, Argument a, Argument y, Argument c, const Argument* bias) {
  const bool wide = g.n >= 16;
  const std::string source = kBlockSums + definitions({{"BLOCK", std::to_string(kGemmBlock)}}) + kGemmSource;
  list.add(source, wide ? "gemm" : "narrow",
           wide ? opencl::items((g.n + 15) / 16, (g.m + 7) / 8, g.batch) : opencl::items(g.n, g.m, g.batch),
           {a,
            y,
            c,
            bias ? *bias : a,
            static_cast<int64_t>(g.bias),
            g.relu ? 1 : 0,
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
            g.c_batch,
            g.c_row,
            g.a_offset,
            g.y_offset,
            g.c_offset,
            g.bias_offset});
}

}  // namespace cutset::portable
