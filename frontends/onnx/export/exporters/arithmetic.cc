// SPDX-License-Identifier: Apache-2.0
// Arithmetic and mathematical functions, element by element.
#include <cmath>
#include <limits>

#include "frontends/onnx/export/exporters.h"

namespace cutset::onnx {
namespace {

// Returns the ops that ONNX has with the same operands and values, and their names in ONNX.
const std::map<std::string_view, const char*>& same_names() {
  static const std::map<std::string_view, const char*> names = {
      {"abs", "Abs"},     {"acos", "Acos"},   {"acosh", "Acosh"}, {"add", "Add"},
      {"asin", "Asin"},   {"asinh", "Asinh"}, {"atan", "Atan"},   {"atanh", "Atanh"},
      {"ceil", "Ceil"},   {"cos", "Cos"},     {"cosh", "Cosh"},   {"erf", "Erf"},
      {"exp", "Exp"},     {"floor", "Floor"}, {"log", "Log"},     {"maximum", "Max"},
      {"minimum", "Min"}, {"mul", "Mul"},     {"round", "Round"}, {"reciprocal", "Reciprocal"},
      {"sign", "Sign"},   {"sin", "Sin"},     {"sinh", "Sinh"},   {"sqrt", "Sqrt"},
      {"sub", "Sub"},     {"tan", "Tan"},     {"tanh", "Tanh"},   {"add_n", "Sum"}};
  return names;
}
Exported same(ExportedOp& op) {
  if (op.name() == "add_n" &&
      !is_float(op.result_type().dtype)) {  // ONNX's Sum takes floating-point types only
    const ValueNames values = op.all();
    std::string sum = values[0];
    for (size_t i = 1; i < values.size(); ++i) sum = op.node("Add", {sum, values[i]});
    return one(sum);
  }
  return one(op.node(same_names().at(op.name()), op.all()));
}

// ONNX's Neg does not take unsigned integers.
Exported negative(ExportedOp& op) {
  const DType type = op.type(0).dtype;
  return one(is_unsigned(type) ? op.node("Sub", {op.scalar(type, 0), op.in(0)}) : op.node("Neg", {op.in(0)}));
}

Exported square(ExportedOp& op) { return one(op.node("Mul", {op.in(0), op.in(0)})); }
Exported rsqrt(ExportedOp& op) { return one(op.node("Reciprocal", {op.node("Sqrt", {op.in(0)})})); }

// Computes exp(x) - 1 as tanh(x / 2) * (exp(x) + 1), which is accurate near 0.
Exported expm1(ExportedOp& op) {
  const DType type = op.type(0).dtype;
  const std::string half = op.node("Tanh", {op.node("Mul", {op.in(0), op.scalar(type, 0.5)})});
  return one(op.node("Mul", {half, op.node("Add", {op.node("Exp", {op.in(0)}), op.scalar(type, 1)})}));
}

// Computes log(u) * x / (u - 1), where u is 1 + x after rounding. The result is x where u is 1 (Goldberg,
// "What every computer scientist should know about floating-point arithmetic", ACM Computing Surveys 1991,
// theorem 4), and where x is infinite.
Exported log1p(ExportedOp& op) {
  const DType type = op.type(0).dtype;
  const std::string one_plus = op.node("Add", {op.in(0), op.scalar(type, 1)});
  const std::string rounded = op.node("Sub", {one_plus, op.scalar(type, 1)});
  const std::string ratio = op.node("Div", {op.in(0), rounded});
  const std::string value = op.node("Mul", {op.node("Log", {one_plus}), ratio});
  const std::string small = op.node("Equal", {rounded, op.scalar(type, 0)});
  const std::string large = op.node("Equal", {op.in(0), op.scalar(type, HUGE_VAL)});
  return one(op.node("Where", {op.node("Or", {small, large}), op.in(0), value}));
}

// Whether a divisor is a constant without the elements 0 and -1. A quotient of the smallest integer by -1
// overflows.
bool is_safe(const HostTensor* divisor) {
  if (!divisor) return false;
  for (int64_t i = 0; i < divisor->elements(); ++i)
    if (divisor->at(i) == 0 || divisor->at(i) == -1) return false;
  return true;
}

// Guards a quotient of integers, because ONNX defines neither quotients by 0 nor the quotient of the smallest
// integer by -1. `quotient` gets a divisor without 0 and -1. `by_minus_one` returns the value where y is -1.
template <class Quotient, class MinusOne>
std::string guarded(ExportedOp& op, Quotient quotient, MinusOne by_minus_one) {
  const DType type = op.type(0).dtype;
  if (is_safe(op.known(1))) return quotient(op.in(1));
  const std::string zero = op.scalar(type, 0), is_zero = op.node("Equal", {op.in(1), zero});
  std::string bad = is_zero, is_minus_one;
  if (!is_unsigned(type)) {
    is_minus_one = op.node("Equal", {op.in(1), op.scalar(type, -1)});
    bad = op.node("Or", {is_zero, is_minus_one});
  }
  std::string value = quotient(op.node("Where", {bad, op.scalar(type, 1), op.in(1)}));
  if (!is_minus_one.empty()) value = op.node("Where", {is_minus_one, by_minus_one(), value});
  return op.node("Where", {is_zero, zero, value});
}

Exported quotient(ExportedOp& op) {
  if (is_float(op.type(0).dtype)) return one(op.node("Div", op.all()));
  return one(guarded(
      op, [&](const std::string& y) { return op.node("Div", {op.in(0), y}); },
      [&] { return op.node("Sub", {op.scalar(op.type(0).dtype, 0), op.in(0)}); }));
}

// Computes the remainder with the sign of x (fmod) or of y (mod).
Exported remainder(ExportedOp& op) {
  const DType type = op.type(0).dtype;
  const bool sign_of_x = op.name() == "fmod";
  const NodeAttributes fmod = {{"fmod", int64_t{1}}};
  if (!is_float(type))
    return one(guarded(
        op,
        [&](const std::string& y) {
          return op.node("Mod", {op.in(0), y}, sign_of_x ? fmod : NodeAttributes{});
        },
        [&] { return op.scalar(type, 0); }));
  const std::string value = op.node("Mod", op.all(), fmod);
  if (sign_of_x) return one(value);
  // ONNX defines the remainder with the sign of y for integers only.
  const std::string zero = op.scalar(type, 0);
  const std::string differ =
      op.node("Xor", {op.node("Less", {value, zero}), op.node("Less", {op.in(1), zero})});
  const std::string moves = op.node("And", {differ, op.node("Not", {op.node("Equal", {value, zero})})});
  return one(op.node("Where", {moves, op.node("Add", {value, op.in(1)}), value}));
}

Exported power(ExportedOp& op) {
  const DType type = op.type(0).dtype;
  if (is_float(type)) return one(op.node("Pow", op.all()));
  const HostTensor* exponent = op.known(1);
  bool defined = (type == DType::i32 || type == DType::i64) && exponent;
  for (int64_t i = 0; defined && i < exponent->elements(); ++i) defined = exponent->at(i) >= 0;
  if (!defined)
    return unsupported("ONNX defines powers of integers only for i32 and i64, and not for negative exponents",
                       "cast the operands to a floating-point type, or make the exponent a constant");
  return one(op.node("Pow", op.all()));
}

Exported scaled(ExportedOp& op) {
  return one(op.node("Mul", {op.in(0), op.scalar(op.type(0).dtype, op.real("factor"))}));
}

// If a bound is left out, ONNX's Clip takes the largest finite number instead, so Clip would change infinity.
Exported clipped(ExportedOp& op) {
  std::string value = op.in(0);
  if (op.has(1)) value = op.node("Max", {value, op.in(1)});
  if (op.has(2)) value = op.node("Min", {value, op.in(2)});
  return one(value);
}

// The logical ops of i1 and the bitwise ops of integers have different names in ONNX.
Exported bitwise(ExportedOp& op) {
  static const std::map<std::string_view, std::pair<const char*, const char*>> kNames = {
      {"bitwise_and", {"And", "BitwiseAnd"}},
      {"bitwise_or", {"Or", "BitwiseOr"}},
      {"bitwise_xor", {"Xor", "BitwiseXor"}},
      {"bitwise_not", {"Not", "BitwiseNot"}}};
  const auto& [logical, of_integers] = kNames.at(op.name());
  return one(op.node(op.type(0).dtype == DType::i1 ? logical : of_integers, op.all()));
}

// ONNX shifts only unsigned integers, and only by fewer places than they have bits.
Exported shifted(ExportedOp& op) {
  const DType type = op.type(0).dtype;
  if (!is_unsigned(type))
    return unsupported("ONNX shifts only unsigned integers, not " + std::string(name_of(type)),
                       "multiply or divide by a power of 2");
  const std::string bits = op.scalar(type, static_cast<double>(8 * size_of(type))), zero = op.scalar(type, 0);
  const std::string inside = op.node("Less", {op.in(1), bits});
  const std::string value =
      op.node("BitShift", {op.in(0), op.node("Where", {inside, op.in(1), zero})},
              {{"direction", std::string(op.name() == "shift_left" ? "LEFT" : "RIGHT")}});
  return one(op.node("Where", {inside, value, zero}));
}

}  // namespace

static void export_arithmetic(Exporters& table) {
  for (const auto& entry : same_names()) table[entry.first] = same;
  table.insert({{"neg", negative},
                {"square", square},
                {"rsqrt", rsqrt},
                {"expm1", expm1},
                {"log1p", log1p},
                {"div", quotient},
                {"mod", remainder},
                {"fmod", remainder},
                {"pow", power},
                {"scale", scaled},
                {"clip", clipped},
                {"shift_left", shifted},
                {"shift_right", shifted}});
  for (const char* name : {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"}) table[name] = bitwise;
}

static const ExporterFamily kArithmeticExporters(export_arithmetic);

}  // namespace cutset::onnx
