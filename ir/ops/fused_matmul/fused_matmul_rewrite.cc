// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/fused_matmul/fused_matmul_mlir.h"

using namespace mlir;

namespace cutset::ir {

// Fuses relu(z), where z is the result and has no relu yet.
Value FusedMatmulOp::fuse(PlacedBuilder& b, Operation* user) {
  if (!is_op(user, "relu") || getRelu()) return {};
  return b("fused_matmul", getOperands(),
           {b.attribute("transpose_x", getTransposeX()), b.attribute("transpose_y", getTransposeY()),
            b.attribute("relu", true)});
}

}  // namespace cutset::ir
