// The gradients of the elementwise ops. In the expressions, x and y are the operands, r is the result and g its
// gradient.
#include "ir/ops/elementwise/elementwise_rules.h"

namespace cutset::rules {
namespace {

GraphValue zeros(GradientBuilder& b, GraphValue like) { return b("full_like", {like}, {{"value", 0.0}}); }
GraphValue keep(GradientBuilder& b, GraphValue condition, GraphValue g) {
  return b("where", {condition, g, zeros(b, g)});
}
GraphValue scaled(GradientBuilder& b, GraphValue x, double factor) { return b("scale", {x}, {{"factor", factor}}); }
// The gradient of maximum and minimum for x: g where `comparison` holds for x and y, and half of g where they are
// equal.
GraphValue winner(GradientBuilder& b, const char* comparison, GraphValue x, GraphValue y, GraphValue g) {
  return b("add", {keep(b, b(comparison, {x, y}), g), scaled(b, keep(b, b("equal", {x, y}), g), 0.5)});
}
GraphValue square(GradientBuilder& b, GraphValue x) { return b("mul", {x, x}); }
// 1 and the square of x, added or subtracted by `op`.
GraphValue one_and_square(GradientBuilder& b, const char* op, GraphValue x) {
  return b(op, {b.constant(b.type(x).dtype, 1), square(b, x)});
}
GraphValue negative(GradientBuilder& b, GraphValue x) { return b("less", {x, zeros(b, x)}); }
// y x^(y - 1) g, and 0 where y is 0: x^-1 may be infinite there.
GraphValue pow_gradient_of_base(GradientBuilder& b, GraphValue x, GraphValue y, GraphValue g) {
  const GraphValue lower = b("pow", {x, b("sub", {y, b.constant(b.type(y).dtype, 1)})});
  return keep(b, b("not_equal", {y, zeros(b, y)}), b("mul", {g, b("mul", {y, lower})}));
}
// r log(x) g, and 0 where the power r is 0: log(x) may be infinite there.
GraphValue pow_gradient_of_exponent(GradientBuilder& b, GraphValue x, GraphValue r, GraphValue g) {
  return keep(b, b("not_equal", {r, zeros(b, r)}), b("mul", {g, b("mul", {r, b("log", {x})})}));
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
UNARY(abs, b("mul", {g, b("sign", {x})}))
UNARY(sign, zeros(b, x))
UNARY(floor, zeros(b, x))
UNARY(ceil, zeros(b, x))
UNARY(round, zeros(b, x))
UNARY(reciprocal, b("neg", {b("mul", {g, square(b, r)})}))
UNARY(rsqrt, scaled(b, b("mul", {g, b("mul", {r, square(b, r)})}), -0.5))
UNARY(expm1, b("mul", {g, b("add", {r, b.constant(b.type(r).dtype, 1)})}))
UNARY(log1p, b("div", {g, b("add", {x, b.constant(b.type(x).dtype, 1)})}))
UNARY(sin, b("mul", {g, b("cos", {x})}))
UNARY(cos, b("neg", {b("mul", {g, b("sin", {x})})}))
UNARY(tan, b("mul", {g, one_and_square(b, "add", r)}))
UNARY(asin, b("mul", {g, b("rsqrt", {one_and_square(b, "sub", x)})}))
UNARY(acos, b("neg", {b("mul", {g, b("rsqrt", {one_and_square(b, "sub", x)})})}))
UNARY(atan, b("div", {g, one_and_square(b, "add", x)}))
UNARY(sinh, b("mul", {g, b("cosh", {x})}))
UNARY(cosh, b("mul", {g, b("sinh", {x})}))
UNARY(asinh, b("mul", {g, b("rsqrt", {one_and_square(b, "add", x)})}))
UNARY(acosh, b("mul", {g, b("rsqrt", {b("neg", {one_and_square(b, "sub", x)})})}))
UNARY(atanh, b("div", {g, one_and_square(b, "sub", x)}))
UNARY(erf, scaled(b, b("mul", {g, b("exp", {b("neg", {square(b, x)})})}), 1.12837916709551257390))  // 2 / sqrt(pi)
UNARY(softplus, b("mul", {g, b("sigmoid", {x})}))
UNARY(gelu, b("gelu_backward", {g, x}))
UNARY(silu, b("silu_backward", {g, x}))
UNARY(sqrt, scaled(b, b("div", {g, r}), 0.5))
UNARY(tanh, b("tanh_backward", {g, r}))
UNARY(sigmoid, b("sigmoid_backward", {g, r}))
UNARY(relu, b("relu_backward", {g, r}))
BINARY(add, g, g)
BINARY(sub, g, b("neg", {g}))
BINARY(mul, b("mul", {g, y}), b("mul", {g, x}))
BINARY(div, b("div", {g, y}), b("neg", {b("div", {b("mul", {g, r}), y})}))
BINARY(mod, g, b("div", {b("mul", {g, b("sub", {r, x})}), y}))
BINARY(fmod, g, b("div", {b("mul", {g, b("sub", {r, x})}), y}))
BINARY(pow, pow_gradient_of_base(b, x, y, g), pow_gradient_of_exponent(b, x, r, g))
BINARY(atan2, b("div", {b("mul", {g, y}), b("add", {square(b, x), square(b, y)})}),
       b("neg", {b("div", {b("mul", {g, x}), b("add", {square(b, x), square(b, y)})})}))
BINARY(prelu, b("where", {negative(b, x), b("mul", {g, y}), g}), keep(b, negative(b, x), b("mul", {g, x})))
BINARY(elu, b("where", {negative(b, x), b("mul", {g, b("add", {r, y})}), g}),
       keep(b, negative(b, x), b("mul", {g, b("expm1", {x})})))
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
