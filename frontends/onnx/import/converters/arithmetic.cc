// SPDX-License-Identifier: Apache-2.0
// Arithmetic and mathematical functions, element by element.
#include <cutset/constants.h>
#include <cutset/ops.h>

#include <cmath>
#include <limits>

#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/nodes/old_broadcast.h"
#include "ir/core/half.h"

namespace cutset::onnx {
namespace {

using Where = std::source_location;

template <Tensor (*Function)(const Tensor&, Where)>
Results unary(Node& n) {
  return {Function(n.in(0), Where::current())};
}

template <Tensor (*Function)(const TensorOrNumber&, const TensorOrNumber&, Where)>
Results binary(Node& n) {
  const auto [x, y] = operands_of(n);
  return {Function(x, y, Where::current())};
}

// Converts an op of any number of operands. They are combined from the first to the last.
template <Tensor (*Function)(const TensorOrNumber&, const TensorOrNumber&, Where)>
Tensor combined(Node& n) {
  Tensor result = n.in(0);
  for (int i = 1; i < n.operands(); ++i) result = Function(result, n.in(i), Where::current());
  return result;
}
template <Tensor (*Function)(const TensorOrNumber&, const TensorOrNumber&, Where)>
Results variadic(Node& n) {
  return {combined<Function>(n)};
}

Results mean_of_operands(Node& n) { return {combined<add>(n) / n.operands()}; }

// The result has the type of the base, and the exponent may have another type. If the base is an integer and
// the exponent a fraction, the power is computed in the type of the exponent.
Results power(Node& n) {
  const auto [base, exponent] = operands_of(n);
  if (is_float(exponent.dtype()) && !is_float(base.dtype()))
    return {cast(pow(cast(base, {.dtype = exponent.dtype()}), exponent), {.dtype = base.dtype()})};
  return {pow(base, cast(exponent, {.dtype = base.dtype()}))};
}

Results remainder(Node& n) { return {n.number("fmod", 0) ? fmod(n.in(0), n.in(1)) : mod(n.in(0), n.in(1))}; }

Results shift(Node& n) {
  const std::string direction = n.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    invalid("the direction '" + direction + "' is not LEFT or RIGHT");
  return {direction == "LEFT" ? shift_left(n.in(0), n.in(1)) : shift_right(n.in(0), n.in(1))};
}

// Before version 11, the bounds are attributes, and since then operands. From version 6 on, the defaults of
// the attributes are the least and the largest f32, which limit infinity.
Results limit(Node& n) {
  constexpr double kMost = std::numeric_limits<float>::max();
  const Tensor x = n.in(0);
  const auto bound = [&](const char* name, int i, double otherwise) {
    if (n.opset() >= 11) return n.optional(i);
    if (!n.has_attribute(name) && n.opset() < 6) return Tensor();
    const double number = n.real(name, otherwise);
    // Types of 16 bits do not have this number, so it does not limit them.
    return is_half(x.dtype()) && std::fabs(number) >= kMost ? Tensor() : constant(x, number);
  };
  const Tensor low = bound("min", 1, -kMost), high = bound("max", 2, kMost);
  return {low.defined() || high.defined() ? clip(x, low, high) : x};
}

}  // namespace

static void add_arithmetic(Converters& table) {
  table.insert({{"Abs", unary<abs>},        {"Acos", unary<acos>},
                {"Acosh", unary<acosh>},    {"Asin", unary<asin>},
                {"Asinh", unary<asinh>},    {"Atan", unary<atan>},
                {"Atanh", unary<atanh>},    {"Ceil", unary<ceil>},
                {"Cos", unary<cos>},        {"Cosh", unary<cosh>},
                {"Erf", unary<erf>},        {"Exp", unary<exp>},
                {"Floor", unary<floor>},    {"Log", unary<log>},
                {"Neg", unary<neg>},        {"Reciprocal", unary<reciprocal>},
                {"Round", unary<round>},    {"Sign", unary<sign>},
                {"Sin", unary<sin>},        {"Sinh", unary<sinh>},
                {"Sqrt", unary<sqrt>},      {"Tan", unary<tan>},
                {"Tanh", unary<tanh>},      {"BitwiseNot", unary<bitwise_not>},
                {"Not", unary<bitwise_not>}});
  table.insert({{"Add", binary<add>},
                {"Sub", binary<sub>},
                {"Mul", binary<mul>},
                {"Div", binary<div>},
                {"And", binary<bitwise_and>},
                {"Or", binary<bitwise_or>},
                {"Xor", binary<bitwise_xor>},
                {"BitwiseAnd", binary<bitwise_and>},
                {"BitwiseOr", binary<bitwise_or>},
                {"BitwiseXor", binary<bitwise_xor>}});
  table.insert({{"Max", variadic<maximum>},
                {"Min", variadic<minimum>},
                {"Sum", variadic<add>},
                {"Mean", mean_of_operands},
                {"Pow", power},
                {"Mod", remainder},
                {"BitShift", shift},
                {"Clip", limit}});
}

static const ConverterFamily kArithmeticConverters(add_arithmetic);

}  // namespace cutset::onnx
