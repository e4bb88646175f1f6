#include "ir/ops/matmul/matmul_mlir.h"

using namespace mlir;

namespace cutset::ir {

// With op(x) = x or its transpose: d op(x) = g op(y)^T and d op(y) = op(x)^T g.
void MatmulOp::gradient(Build& b, ValueRange gradients, MutableArrayRef<Value> into) {
  Value g = gradients[0], x = getX(), y = getY();
  const bool tx = getTransposeX(), ty = getTransposeY();
  auto product = [&](Value l, Value r, bool tl, bool tr) {
    return b("matmul", {l, r}, {b.attribute("transpose_x", tl), b.attribute("transpose_y", tr)});
  };
  into[0] = b.sum_to(tx ? product(y, g, ty, true) : product(g, y, false, !ty), x);
  into[1] = b.sum_to(ty ? product(g, x, true, tx) : product(x, g, !tx, false), y);
}

}  // namespace cutset::ir
