// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/fused_matmul/fused_matmul_product.h"
#include "ir/ops/fused_matmul/fused_matmul_rules.h"
#include "ir/ops/matmul/matmul_rules.h"

namespace cutset::rules::fused_matmul {

Status reference(const FusedMatmulAttrs& a, Views in, Views out) {
  CUTSET_TRY(matmul::reference(product_of(a), in.first(2), out));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T* bias = in[2].as<T>();
    T* z = out[0].as<T>();
    const int64_t columns = out[0].shape.back(), n = out[0].elements();
    for (int64_t first = 0; first < n; first += columns)
      for (int64_t j = 0; j < columns; ++j) {
        const T v = z[first + j] + bias[j];
        z[first + j] = a.relu && v < 0 ? 0 : v;
      }
  });
}

}  // namespace cutset::rules::fused_matmul
