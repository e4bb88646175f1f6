#include "ir/structural/cast/cast_mlir.h"

using namespace mlir;

namespace cutset::ir {
void CastOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  Type element = mlir::cast<RankedTensorType>(getX().getType()).getElementType();
  if (isa<FloatType>(element)) into[0] = b("cast", {gradients[0]}, {b.attribute("dtype", element)});
}
}  // namespace cutset::ir
