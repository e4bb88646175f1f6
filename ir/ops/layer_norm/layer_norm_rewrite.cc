#include "ir/ops/layer_norm/layer_norm_mlir.h"

using namespace mlir;

namespace cutset::ir {

void LayerNormOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  auto attributes = b.same_attributes(*this);
  into[0] = b("layer_norm_backward_input", {gradients[0], getX(), getScale()}, attributes);
  into[1] = b("layer_norm_backward_scale", {gradients[0], getX()}, attributes);
  if (getBias()) into[2] = b.sum_to_size(gradients[0], getBias());
}

}  // namespace cutset::ir
