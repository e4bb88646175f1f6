#include "ir/structural/scale/scale_mlir.h"

using namespace mlir;

namespace cutset::ir {
void ScaleOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  into[0] = b("scale", {gradients[0]}, b.same_attributes(*this));
}
}  // namespace cutset::ir
