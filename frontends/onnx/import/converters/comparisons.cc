// SPDX-License-Identifier: Apache-2.0
// Comparisons, and selections by truth values.
#include <cutset/constants.h>
#include <cutset/ops.h>

#include <cmath>

#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/nodes/old_broadcast.h"

namespace cutset::onnx {
namespace {

// Truth values are equal where they do not differ. The comparisons of Cutset take numbers only.
Results equality(Node& n) {
  const auto [x, y] = operands_of(n);
  return {x.dtype() == DType::i1 ? bitwise_not(bitwise_xor(x, y)) : equal(x, y)};
}
Results is_greater(Node& n) {
  const auto [x, y] = operands_of(n);
  return {greater(x, y)};
}
Results is_less(Node& n) {
  const auto [x, y] = operands_of(n);
  return {less(x, y)};
}

Results is_infinite(Node& n) {
  const Tensor x = n.in(0), infinity = constant(x, HUGE_VAL);
  const bool positive = n.number("detect_positive", 1), negative = n.number("detect_negative", 1);
  if (positive && negative) return {equal(abs(x), infinity)};
  if (positive) return {equal(x, infinity)};
  if (negative) return {equal(neg(x), infinity)};
  return {greater(abs(x), infinity)};  // false for each element
}

}  // namespace

static void add_comparisons(Converters& table) {
  table.insert({
      {"Equal", equality},
      {"Greater", is_greater},
      {"GreaterOrEqual", [](Node& n) -> Results { return {greater_equal(n.in(0), n.in(1))}; }},
      {"Less", is_less},
      {"LessOrEqual", [](Node& n) -> Results { return {less_equal(n.in(0), n.in(1))}; }},
      {"IsNaN", [](Node& n) -> Results { return {not_equal(n.in(0), n.in(0))}; }},
      {"IsInf", is_infinite},
      {"Where", [](Node& n) -> Results { return {where(n.in(0), n.in(1), n.in(2))}; }},
  });
}

static const ConverterFamily kComparisonsConverters(add_comparisons);

}  // namespace cutset::onnx
