#include "ir/ops/matmul/matmul_mlir.h"

using namespace mlir;

namespace cutset::ir {

// For z = X Y, where X and Y are x and y after transposition: dX = g Y^T and dY = X^T g. The gradient of x is dX,
// or dX^T if x is transposed, summed over the dimensions along which x is broadcast. The same holds for y with dY.
void MatmulOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  Value g = gradients[0], x = getX(), y = getY();
  const bool tx = getTransposeX(), ty = getTransposeY();
  auto product = [&](Value l, Value r, bool tl, bool tr) {
    return b("matmul", {l, r}, {b.attribute("transpose_x", tl), b.attribute("transpose_y", tr)});
  };
  into[0] = b.sum_to_size(tx ? product(y, g, ty, true) : product(g, y, false, !ty), x);
  into[1] = b.sum_to_size(ty ? product(g, x, true, tx) : product(x, g, !tx, false), y);
}

// z + b or b + z, where b has one element per column of z.
Value MatmulOp::fuse(PlacedBuilder& b, Operation* user) {
  if (!is_op(user, "add") || user->getResult(0).getType() != getType()) return {};
  Value bias = user->getOperand(0) == getResult() ? user->getOperand(1) : user->getOperand(0);
  auto type = cast<RankedTensorType>(bias.getType()), product = cast<RankedTensorType>(getType());
  if (type.getRank() != 1 || type.getDimSize(0) != product.getShape().back()) return {};
  return b("fused_matmul", {getX(), getY(), bias},
           {b.attribute("transpose_x", getTransposeX()), b.attribute("transpose_y", getTransposeY())});
}

}  // namespace cutset::ir
