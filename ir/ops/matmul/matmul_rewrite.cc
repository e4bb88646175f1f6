// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/matmul/matmul_mlir.h"

using namespace mlir;

namespace cutset::ir {

// Fuses z + b or b + z, where z is the result and b has one element per column of z.
Value MatmulOp::fuse(PlacedBuilder& b, Operation* user) {
  if (!is_op(user, "add") || user->getResult(0).getType() != getType()) return {};
  Value bias = user->getOperand(0) == getResult() ? user->getOperand(1) : user->getOperand(0);
  auto type = cast<RankedTensorType>(bias.getType()), product = cast<RankedTensorType>(getType());
  if (type.getRank() != 1 || type.getDimSize(0) != product.getShape().back()) return {};
  return b("fused_matmul", {getX(), getY(), bias},
           {b.attribute("transpose_x", getTransposeX()), b.attribute("transpose_y", getTransposeY())});
}

}  // namespace cutset::ir
