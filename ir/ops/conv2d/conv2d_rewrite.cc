#include "ir/ops/conv2d/conv2d_mlir.h"

using namespace mlir;

namespace cutset::ir {

void Conv2dOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  Value g = gradients[0];
  auto attributes = b.same_attributes(*this);
  into[0] = b("conv2d_backward_input", {g, getFilter(), getX()}, attributes);
  into[1] = b("conv2d_backward_filter", {g, getX(), getFilter()}, attributes);
  if (getBias()) into[2] = b("reduce_sum", {g}, {b.attribute("axes", ArrayRef<int64_t>{0, 2, 3})});
}

// relu(y).
Value Conv2dOp::fuse(PlacedBuilder& b, Operation* user) {
  if (!is_op(user, "relu")) return {};
  return b("fused_conv2d", getOperands(), b.same_attributes(*this));
}

}  // namespace cutset::ir
