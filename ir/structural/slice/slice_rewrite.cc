#include "ir/structural/slice/slice_mlir.h"
#include "ir/structural/slice/slice_shape.h"

using namespace mlir;

namespace cutset::ir {
// The gradient of the rows that the slice leaves out is 0.
void SliceOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  auto number = [&](StringRef name, int64_t v) {
    Builder builder(getContext());
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(v));
  };
  const auto x = cast<RankedTensorType>(getX().getType()).getShape();
  const SliceShape s = *slice_shape({x.data(), x.size()}, static_cast<int64_t>(getAxis()),
                                    static_cast<int64_t>(getStart()), static_cast<int64_t>(getLength()));
  into[0] = b("pad", {gradients[0]},
              {number("axis", s.axis), number("before", s.start), number("after", s.all - s.start - s.length)});
}
}  // namespace cutset::ir
