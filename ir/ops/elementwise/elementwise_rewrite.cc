// The gradients of the elementwise ops. In the expressions, x and y are the operands, r is the result and g its
// gradient.
#include "ir/ops/elementwise/elementwise_mlir.h"

using namespace mlir;

namespace cutset::ir {
namespace {

Value zeros(PlacedBuilder& b, Value like) { return b("full_like", {like}, {b.attribute("value", 0.0)}); }
Value keep(PlacedBuilder& b, Value condition, Value g) { return b("where", {condition, g, zeros(b, g)}); }
// The gradient of maximum and minimum for x: g where `comparison` holds for x and y, and half of g where they are
// equal.
Value winner(PlacedBuilder& b, StringRef comparison, Value x, Value y, Value g) {
  return b("add", {keep(b, b(comparison, {x, y}), g),
                   b("scale", {keep(b, b("equal", {x, y}), g)}, {b.attribute("factor", 0.5)})});
}

}  // namespace

#define UNARY(Op, expression)                                                              \
  void Op::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) { \
    [[maybe_unused]] Value g = gradients[0], x = getX(), r = getResult();                  \
    into[0] = expression;                                                                  \
  }
#define BINARY(Op, for_x, for_y)                                                           \
  void Op::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) { \
    [[maybe_unused]] Value g = gradients[0], x = getX(), y = getY(), r = getResult();      \
    into[0] = b.sum_to_size(for_x, getX());                                                \
    into[1] = b.sum_to_size(for_y, getY());                                                \
  }

UNARY(NegOp, b("neg", {g}))
UNARY(ExpOp, b("mul", {g, r}))
UNARY(LogOp, b("div", {g, x}))
UNARY(SqrtOp, b("scale", {b("div", {g, r})}, {b.attribute("factor", 0.5)}))
UNARY(TanhOp, b("tanh_backward", {g, r}))
UNARY(SigmoidOp, b("sigmoid_backward", {g, r}))
UNARY(ReluOp, b("relu_backward", {g, r}))
BINARY(AddOp, g, g)
BINARY(SubOp, g, b("neg", {g}))
BINARY(MulOp, b("mul", {g, y}), b("mul", {g, x}))
BINARY(DivOp, b("div", {g, y}), b("neg", {b("div", {b("mul", {g, r}), y})}))
BINARY(MaximumOp, winner(b, "greater", x, y, g), winner(b, "greater", y, x, g))
BINARY(MinimumOp, winner(b, "less", x, y, g), winner(b, "less", y, x, g))

void WhereOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  Value g = gradients[0], none = zeros(b, g);
  into[1] = b.sum_to_size(b("where", {getCondition(), g, none}), getX());
  into[2] = b.sum_to_size(b("where", {getCondition(), none, g}), getY());
}

}  // namespace cutset::ir
