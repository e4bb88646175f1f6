// SPDX-License-Identifier: Apache-2.0
// The matmul of a fused_matmul, for the op's rules and for the kernels of the backends.
#pragma once
#include "ir/ops/fused_matmul/fused_matmul_attrs.h"
#include "ir/ops/matmul/matmul_attrs.h"

namespace cutset {

// Returns the attributes of the matmul to whose result the bias is added.
inline MatmulAttrs product_of(const FusedMatmulAttrs& a) {
  return {.size = sizeof(MatmulAttrs), .transpose_x = a.transpose_x, .transpose_y = a.transpose_y};
}

}  // namespace cutset
