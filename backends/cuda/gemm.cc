// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/gemm.h"

#include <algorithm>

#include "backends/cuda/language.h"

namespace cutset::portable {

// A block computes a tile of TILE x TILE elements of c, and a thread 4 x 4 of them in registers. First, the
// block reads DEPTH elements along k of a and of y into shared memory. Neighbouring threads read neighbouring
// elements: along k if the rows of `a` are contiguous, and along m otherwise.
static const char* const kGemmSource = R"(
#define TILE 64
#define DEPTH 16
KERNEL(gemm)(GEMM_PARAMETERS) {
  BIND_GEMM;
  __shared__ float rows[DEPTH][TILE + 1], columns[DEPTH][TILE + 1];
  int tiles = (n + TILE - 1) / TILE, first_row = blockIdx.x / tiles * TILE, first_column = blockIdx.x % tiles * TILE;
  int thread = threadIdx.x, row = thread / 16 * 4, column = thread % 16 * 4;
  for (int b = blockIdx.y; b < batch && b >= 0; b += gridDim.y) {
    float sum[4][4] = {}, part[4][4] = {};
    int left = BLOCK;
    for (int w = 0; w < q; w++) {
      const float* from = a + ao + b * ab + w * aq;
      const float* with = y + yo + b * yb + w * yq;
      for (int t = 0; t < k; t += DEPTH) {
        for (int e = thread; e < TILE * DEPTH; e += 256) {
          int r = ac == 1 ? e / DEPTH : e % TILE, s = ac == 1 ? e % DEPTH : e / TILE;
          rows[s][r] = first_row + r < m && t + s < k ? from[(first_row + r) * ar + (t + s) * ac] : 0.0f;
          r = yc == 1 ? e % TILE : e / DEPTH, s = yc == 1 ? e / TILE : e % DEPTH;
          columns[s][r] = first_column + r < n && t + s < k ? with[(t + s) * yr + (first_column + r) * yc] : 0.0f;
        }
        __syncthreads();
        for (int s = 0; s < DEPTH; s++)
          for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) part[i][j] = fma(rows[s][row + i], columns[s][column + j], part[i][j]);
        __syncthreads();
        left -= DEPTH;
        if (left > 0) continue;
        for (int i = 0; i < 4; i++)
          for (int j = 0; j < 4; j++) END_BLOCK(sum[i][j], part[i][j]);
        left = BLOCK;
      }
    }
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        int at_row = first_row + row + i, at_column = first_column + column + j;
        if (at_row < m && at_column < n) {
          float v = sum[i][j] + part[i][j];
          if (bias_of) v += bias[bo + (bias_of == 1 ? at_row : at_column)];
          c[co + b * cb + at_row * cr + at_column] = relu && v < 0 ? 0 : v;
        }
      }
  }
}
)";

GemmKernel gemm_kernel(const Gemm& g) {
  constexpr int64_t kTile = 64;
  const int64_t tiles = ((g.m + kTile - 1) / kTile) * ((g.n + kTile - 1) / kTile);
  return {kGemmSource,
          "gemm",
          {.groups = {tiles, std::min(g.batch, cuda::kMostBlocks)}, .items = {cuda::kThreads}}};
}

}  // namespace cutset::portable
