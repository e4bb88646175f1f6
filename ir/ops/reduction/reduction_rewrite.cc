#include "ir/ops/reduction/reduction_mlir.h"

using namespace mlir;

namespace cutset::ir {
namespace {

// The axes that `expand` puts back: none where the reduction kept them as size 1.
SmallVector<int64_t> dropped_axes(Value x, ArrayRef<int64_t> axes, bool keep_dims) {
  SmallVector<int64_t> dropped;
  const int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  if (keep_dims) return dropped;
  for (int64_t a : axes) dropped.push_back(a < 0 ? a + rank : a);
  if (axes.empty())
    for (int64_t d = 0; d < rank; ++d) dropped.push_back(d);
  return dropped;
}

template <class Op>
Value back(Build& b, Op op, Value v) {
  SmallVector<int64_t> axes;
  if (auto list = op.getAxesAttr()) axes.append(list.asArrayRef().begin(), list.asArrayRef().end());
  return b("expand", {v, op.getX()}, {b.attribute("axes", dropped_axes(op.getX(), axes, op.getKeepDims()))});
}

}  // namespace

void ReduceSumOp::gradient(Build& b, ValueRange gradients, MutableArrayRef<Value> into) {
  into[0] = back(b, *this, gradients[0]);
}

void ReduceMaxOp::gradient(Build& b, ValueRange gradients, MutableArrayRef<Value> into) {
  Value x = getX();
  Value largest = b("equal", {x, back(b, *this, getResult())});
  Type element = cast<RankedTensorType>(x.getType()).getElementType();
  Value mask = b("cast", {largest}, {b.attribute("dtype", element)});
  Value ties = back(b, *this, b("reduce_sum", {mask}, b.same_attributes(*this)));
  into[0] = b("mul", {b("div", {mask, ties}), back(b, *this, gradients[0])});
}

}  // namespace cutset::ir
