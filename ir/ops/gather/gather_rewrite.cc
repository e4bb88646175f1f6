#include "ir/ops/gather/gather_mlir.h"

using namespace mlir;

namespace cutset::ir {

// The indices have no gradient.
void GatherOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  into[0] = b("gather_backward", {gradients[0], getIndices(), getData()}, b.same_attributes(*this));
}

}  // namespace cutset::ir
