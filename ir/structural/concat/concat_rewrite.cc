#include "ir/core/rows.h"
#include "ir/structural/concat/concat_mlir.h"

using namespace mlir;

namespace cutset::ir {
// The gradient of a part is the slice of the result's gradient with the rows of the part.
void ConcatOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  auto number = [&](StringRef name, int64_t v) {
    Builder builder(getContext());
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(v));
  };
  int64_t start = 0;
  for (auto [i, part] : llvm::enumerate(getParts())) {
    const auto shape = cast<RankedTensorType>(part.getType()).getShape();
    const int64_t axis = axis_from_front(static_cast<int64_t>(getAxis()), shape.size());
    const int64_t size = shape[static_cast<size_t>(axis)];
    into[i] = b("slice", {gradients[0]}, {number("axis", axis), number("start", start), number("length", size)});
    start += size;
  }
}
}  // namespace cutset::ir
