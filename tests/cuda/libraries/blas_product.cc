// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/libraries/blas_product.h"

#include <cstring>

namespace cutset::cuda::doubles {

void multiply(const HostProduct& p) {
  if (p.workspace_bytes > 0) std::memset(p.workspace, 0xff, p.workspace_bytes);
  for (int64_t batch = 0; batch < p.batch; ++batch)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j) {
        double sum = 0;
        for (int64_t s = 0; s < p.k; ++s)
          sum +=
              static_cast<double>(p.a[p.a_strides.index(batch, i, s)]) * p.b[p.b_strides.index(batch, s, j)];
        sum *= p.alpha;
        if (p.beta != 0) sum += static_cast<double>(p.beta) * p.c[p.c_strides.index(batch, i, j)];
        if (p.bias) sum += p.bias[i];
        p.d[p.d_strides.index(batch, i, j)] = static_cast<float>(sum);
      }
}

}  // namespace cutset::cuda::doubles
