#include "ir/structural/expand/expand_mlir.h"

using namespace mlir;

namespace cutset::ir {
void ExpandOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  Value g = gradients[0];
  if (auto axes = getAxesAttr(); axes && !axes.empty()) {
    SmallVector<int64_t> list(axes.asArrayRef());
    g = b("reduce_sum", {g}, {b.attribute("axes", list)});
  }
  into[0] = b.sum_to_size(g, getX());
}
}  // namespace cutset::ir
