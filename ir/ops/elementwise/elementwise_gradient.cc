// SPDX-License-Identifier: Apache-2.0
// The gradients of the elementwise ops. In the expressions, x and y are the operands, r is the result, and g
// is the gradient of the result.
#include <algorithm>
#include <string_view>

#include "ir/core/half.h"
#include "ir/ops/elementwise/elementwise_rules.h"

namespace cutset::rules {
namespace {

GraphValue zeros(GradientBuilder& b, GraphValue like) { return b("full_like", {like}, {{"value", 0.0}}); }
GraphValue keep(GradientBuilder& b, GraphValue condition, GraphValue g) {
  return b("where", {condition, g, zeros(b, g)});
}
GraphValue scaled(GradientBuilder& b, GraphValue x, double factor) {
  return b("scale", {x}, {{"factor", factor}});
}
// Returns the gradient of maximum and minimum for x: g where `comparison` is true for x and y, and half of g
// where x and y are equal.
GraphValue winner(GradientBuilder& b, const char* comparison, GraphValue x, GraphValue y, GraphValue g) {
  return b("add", {keep(b, b(comparison, {x, y}), g), scaled(b, keep(b, b("equal", {x, y}), g), 0.5)});
}
GraphValue squared(GradientBuilder& b, GraphValue x) { return b("mul", {x, x}); }
// Returns 1 and the square of x, joined by `op`: "add" or "sub".
GraphValue one_and_square(GradientBuilder& b, const char* op, GraphValue x) {
  return b(op, {b.constant(b.type(x).dtype, 1), squared(b, x)});
}
GraphValue positive(GradientBuilder& b, GraphValue x) { return b("greater", {x, zeros(b, x)}); }
// Returns g where x is not positive, and 0 elsewhere. prelu and elu count 0 as negative, as PyTorch does.
GraphValue keep_unless_positive(GradientBuilder& b, GraphValue x, GraphValue g) {
  return b("where", {positive(b, x), zeros(b, g), g});
}
// Returns y x^(y - 1) g. It is 0 where y is 0, because x^-1 may be infinite there.
GraphValue pow_gradient_of_base(GradientBuilder& b, GraphValue x, GraphValue y, GraphValue g) {
  const GraphValue lower = b("pow", {x, b("sub", {y, b.constant(b.type(y).dtype, 1)})});
  return keep(b, b("not_equal", {y, zeros(b, y)}), b("mul", {g, b("mul", {y, lower})}));
}
// Returns r log(x) g. It is 0 where the power r is 0, and where x and y are 0, because log(x) may be infinite
// there.
GraphValue pow_gradient_of_exponent(GradientBuilder& b, GraphValue x, GraphValue y, GraphValue r,
                                    GraphValue g) {
  const GraphValue is_zero =
      b("bitwise_and", {b("equal", {x, zeros(b, x)}), b("greater_equal", {y, zeros(b, y)})});
  const GraphValue of_zero = b("bitwise_or", {is_zero, b("equal", {r, zeros(b, r)})});
  return b("where", {of_zero, zeros(b, g), b("mul", {g, b("mul", {r, b("log", {x})})})});
}
// Returns g times `factor` divided by x^2 + y^2. It is 0 at the origin, where there is no gradient.
GraphValue atan2_gradient(GradientBuilder& b, GraphValue x, GraphValue y, GraphValue g, GraphValue factor) {
  const GraphValue square_of_radius = b("add", {squared(b, x), squared(b, y)});
  return keep(b, b("not_equal", {square_of_radius, zeros(b, square_of_radius)}),
              b("div", {b("mul", {g, factor}), square_of_radius}));
}

// The ops whose gradients are several ops. An intermediate value may be too large or too small for 16 bits,
// although the gradient is not: the square of 300 is not an f16, but the gradient of atan at 300 is.
constexpr std::string_view kOfSeveralOps[] = {"reciprocal", "rsqrt", "log1p", "tan",   "asin", "acos",
                                              "atan",       "asinh", "acosh", "atanh", "erf",  "div",
                                              "mod",        "fmod",  "pow",   "atan2"};
// Returns the op `its`, whose name is `name`. Converts its operands and results to f32 if they are f16 or
// bf16 and the gradient is several ops.
Differentiated in_f32(GradientBuilder& b, const Differentiated& its, std::string_view name) {
  Differentiated wide = its;
  if (std::find(std::begin(kOfSeveralOps), std::end(kOfSeveralOps), name) == std::end(kOfSeveralOps))
    return wide;
  if (!is_half(b.type(its.gradients[0]).dtype)) return wide;
  for (GraphValues* values : {&wide.operands, &wide.gradients})
    for (GraphValue& v : *values) v = b("cast", {v}, {{"dtype", DType::f32}});
  wide.results = {b(name, wide.operands)};  // computed in f32 and not rounded
  return wide;
}
// Rounds gradients for in_f32() to the types of the operands.
GraphValues rounded(GradientBuilder& b, GraphValues gradients, const Differentiated& its) {
  for (size_t i = 0; i < gradients.size(); ++i)
    if (const DType type = b.type(its.operands[i]).dtype; gradients[i] && b.type(gradients[i]).dtype != type)
      gradients[i] = b("cast", {gradients[i]}, {{"dtype", type}});
  return gradients;
}

}  // namespace

#define UNARY(op, expression)                                                                        \
  namespace op {                                                                                     \
  GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& given) {              \
    const Differentiated its = in_f32(b, given, #op);                                                \
    [[maybe_unused]] const GraphValue g = its.gradients[0], x = its.operands[0], r = its.results[0]; \
    return rounded(b, {expression}, given);                                                          \
  }                                                                                                  \
  }
#define BINARY(op, for_x, for_y)                                                        \
  namespace op {                                                                        \
  GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& given) { \
    const Differentiated its = in_f32(b, given, #op);                                   \
    [[maybe_unused]] const GraphValue g = its.gradients[0], r = its.results[0];         \
    const GraphValue x = its.operands[0], y = its.operands[1];                          \
    return rounded(b, {b.sum_to_size(for_x, x), b.sum_to_size(for_y, y)}, given);       \
  }                                                                                     \
  }

UNARY(neg, b("neg", {g}))
UNARY(square, b("mul", {g, b("add", {x, x})}))
UNARY(exp, b("mul", {g, r}))
UNARY(log, b("div", {g, x}))
UNARY(abs, b("mul", {g, b("sign", {x})}))
UNARY(sign, zeros(b, x))
UNARY(floor, zeros(b, x))
UNARY(ceil, zeros(b, x))
UNARY(round, zeros(b, x))
UNARY(reciprocal, b("neg", {b("mul", {g, squared(b, r)})}))
UNARY(rsqrt, scaled(b, b("mul", {g, b("mul", {r, squared(b, r)})}), -0.5))
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
// The difference x^2 - 1 is +0 at 1, so that the gradient is +infinity there.
UNARY(acosh, b("mul", {g, b("rsqrt", {b("sub", {squared(b, x), b.constant(b.type(x).dtype, 1)})})}))
UNARY(atanh, b("div", {g, one_and_square(b, "sub", x)}))
UNARY(erf, scaled(b, b("mul", {g, b("exp", {b("neg", {squared(b, x)})})}),
                  1.12837916709551257390))  // 2 / sqrt(pi)
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
BINARY(pow, pow_gradient_of_base(b, x, y, g), pow_gradient_of_exponent(b, x, y, r, g))
BINARY(atan2, atan2_gradient(b, x, y, g, y), b("neg", {atan2_gradient(b, x, y, g, x)}))
BINARY(prelu, b("where", {positive(b, x), g, b("mul", {g, y})}), keep_unless_positive(b, x, b("mul", {g, x})))
BINARY(elu, b("where", {positive(b, x), g, b("mul", {g, b("add", {r, y})})}),
       keep_unless_positive(b, x, b("mul", {g, b("expm1", {x})})))
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
