#include "ir/ops/conv2d/conv2d_mlir.h"

using namespace mlir;

namespace cutset::ir {

// relu(y).
Value Conv2dOp::fuse(PlacedBuilder& b, Operation* user) {
  if (!is_op(user, "relu")) return {};
  return b("fused_conv2d", getOperands(), b.same_attributes(*this));
}

}  // namespace cutset::ir
