// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/conv/conv_mlir.h"

using namespace mlir;

namespace cutset::ir {

// Fuses relu(y), where y is the result.
Value ConvOp::fuse(PlacedBuilder& b, Operation* user) {
  if (!is_op(user, "relu")) return {};
  return b("fused_conv", getOperands(), b.same_attributes(*this));
}

}  // namespace cutset::ir
