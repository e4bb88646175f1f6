// The gradients of the elementwise ops. In the expressions, x and y are the operands, r is the result and g its
// gradient.
#include "ir/ops/elementwise/elementwise_rules.h"

namespace cutset::rules {
namespace {

GraphValue zeros(GradientBuilder& b, GraphValue like) { return b("full_like", {like}, {{"value", 0.0}}); }
GraphValue keep(GradientBuilder& b, GraphValue condition, GraphValue g) {
  return b("where", {condition, g, zeros(b, g)});
}
// The gradient of maximum and minimum for x: g where `comparison` holds for x and y, and half of g where they are
// equal.
GraphValue winner(GradientBuilder& b, const char* comparison, GraphValue x, GraphValue y, GraphValue g) {
  return b("add", {keep(b, b(comparison, {x, y}), g), b("scale", {keep(b, b("equal", {x, y}), g)}, {{"factor", 0.5}})});
}

}  // namespace

#define UNARY(op, expression)                                                                        \
  namespace op {                                                                                     \
  GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& its) {                \
    [[maybe_unused]] const GraphValue g = its.gradients[0], x = its.operands[0], r = its.results[0]; \
    return {expression};                                                                             \
  }                                                                                                  \
  }
#define BINARY(op, for_x, for_y)                                                      \
  namespace op {                                                                      \
  GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& its) { \
    [[maybe_unused]] const GraphValue g = its.gradients[0], r = its.results[0];       \
    const GraphValue x = its.operands[0], y = its.operands[1];                        \
    return {b.sum_to_size(for_x, x), b.sum_to_size(for_y, y)};                        \
  }                                                                                   \
  }

UNARY(neg, b("neg", {g}))
UNARY(exp, b("mul", {g, r}))
UNARY(log, b("div", {g, x}))
UNARY(sqrt, b("scale", {b("div", {g, r})}, {{"factor", 0.5}}))
UNARY(tanh, b("tanh_backward", {g, r}))
UNARY(sigmoid, b("sigmoid_backward", {g, r}))
UNARY(relu, b("relu_backward", {g, r}))
BINARY(add, g, g)
BINARY(sub, g, b("neg", {g}))
BINARY(mul, b("mul", {g, y}), b("mul", {g, x}))
BINARY(div, b("div", {g, y}), b("neg", {b("div", {b("mul", {g, r}), y})}))
BINARY(maximum, winner(b, "greater", x, y, g), winner(b, "greater", y, x, g))
BINARY(minimum, winner(b, "less", x, y, g), winner(b, "less", y, x, g))

namespace where {
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  const GraphValue g = op.gradients[0], condition = op.operands[0], none = zeros(b, g);
  return {GraphValue(), b.sum_to_size(b("where", {condition, g, none}), op.operands[1]),
          b.sum_to_size(b("where", {condition, none, g}), op.operands[2])};
}
}  // namespace where

}  // namespace cutset::rules
