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

}  // namespace cutset::ir
