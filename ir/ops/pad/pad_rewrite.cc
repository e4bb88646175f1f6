#include "ir/core/rows.h"
#include "ir/ops/pad/pad_mlir.h"

using namespace mlir;

namespace cutset::ir {
void PadOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  auto number = [&](StringRef name, int64_t v) {
    Builder builder(getContext());
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(v));
  };
  const auto shape = cast<RankedTensorType>(getX().getType()).getShape();
  const int64_t axis = axis_from_front(static_cast<int64_t>(getAxis()), shape.size());
  into[0] = b("slice", {gradients[0]},
              {number("axis", axis), number("start", static_cast<int64_t>(getBefore())),
               number("length", shape[static_cast<size_t>(axis)])});
}
}  // namespace cutset::ir
