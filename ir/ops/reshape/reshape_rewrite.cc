#include "ir/ops/reshape/reshape_mlir.h"

using namespace mlir;

namespace cutset::ir {

void ReshapeOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  into[0] = b("reshape_like", {gradients[0], getX()});
}
void ReshapeLikeOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  into[0] = b("reshape_like", {gradients[0], getX()});
}

}  // namespace cutset::ir
