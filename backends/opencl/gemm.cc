// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/gemm.h"

#include "backends/opencl/launch.h"

namespace cutset::portable {

// A work-item computes 8 rows of 16 columns in registers. It uses no local memory and no barriers, so it runs
// well on CPUs.
static const char* kGemmSource = R"(
#define ROWS 8
// Computes ROWS rows of 16 columns, which begin at column x.
KERNEL(gemm)(GEMM_PARAMETERS) {
  BIND_GEMM;
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
KERNEL(narrow)(GEMM_PARAMETERS) {
  BIND_GEMM;
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

GemmKernel gemm_kernel(const Gemm& g) {
  if (g.n < 16) return {kGemmSource, "narrow", opencl::items(g.n, g.m, g.batch)};
  return {kGemmSource, "gemm", opencl::items((g.n + 15) / 16, (g.m + 7) / 8, g.batch)};
}

}  // namespace cutset::portable
