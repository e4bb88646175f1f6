#include "ir/ops/pooling/pooling_mlir.h"

using namespace mlir;

namespace cutset::ir {

void MaxPool2dOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  into[0] = b("max_pool2d_backward", {gradients[0], getX()}, b.same_attributes(*this));
}

}  // namespace cutset::ir
