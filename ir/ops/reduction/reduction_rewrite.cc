#include "ir/ops/reduction/reduction_mlir.h"

using namespace mlir;

namespace cutset::ir {
namespace {

// The axes that `expand` has to insert to undo a reduction of x: none if the reduction kept them with size 1.
SmallVector<int64_t> dropped_axes(Value x, ArrayRef<int64_t> axes, bool keepdims) {
  SmallVector<int64_t> dropped;
  const int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  if (keepdims) return dropped;
  for (int64_t a : axes) dropped.push_back(a < 0 ? a + rank : a);
  if (axes.empty())
    for (int64_t d = 0; d < rank; ++d) dropped.push_back(d);
  return dropped;
}

// `v`, which has the shape of the result of `op`, broadcast to the shape of the operand of `op`.
template <class Op>
Value back(PlacedBuilder& b, Op op, Value v) {
  SmallVector<int64_t> axes;
  if (auto list = op.getAxesAttr()) axes.append(list.asArrayRef().begin(), list.asArrayRef().end());
  return b("expand", {v, op.getX()}, {b.attribute("axes", dropped_axes(op.getX(), axes, op.getKeepdims()))});
}

}  // namespace

void ReduceSumOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  into[0] = back(b, *this, gradients[0]);
}

void ReduceMaxOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  Value x = getX();
  Value largest = b("equal", {x, back(b, *this, getResult())});
  Type element = cast<RankedTensorType>(x.getType()).getElementType();
  Value mask = b("cast", {largest}, {b.attribute("dtype", element)});
  Value ties = back(b, *this, b("reduce_sum", {mask}, b.same_attributes(*this)));
  into[0] = b("mul", {b("div", {mask, ties}), back(b, *this, gradients[0])});
}

}  // namespace cutset::ir
