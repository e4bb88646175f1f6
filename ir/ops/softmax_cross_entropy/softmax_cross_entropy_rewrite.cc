#include "ir/ops/softmax_cross_entropy/softmax_cross_entropy_mlir.h"

using namespace mlir;

namespace cutset::ir {

void SoftmaxCrossEntropyOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  into[0] = b("softmax_cross_entropy_backward", {gradients[0], getLogits(), getLabels()});
}

}  // namespace cutset::ir
