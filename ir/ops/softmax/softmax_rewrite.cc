#include "ir/ops/softmax/softmax_mlir.h"

using namespace mlir;

namespace cutset::ir {

void SoftmaxOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  into[0] = b("softmax_backward", {gradients[0], getResult()}, b.same_attributes(*this));
}

void LogSoftmaxOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  into[0] = b("log_softmax_backward", {gradients[0], getResult()}, b.same_attributes(*this));
}

}  // namespace cutset::ir
