// SPDX-License-Identifier: Apache-2.0
// Conversions of element types.
#include <cutset/ops.h>

#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/values/converted.h"

namespace cutset::onnx {
namespace {

// Ignores how numbers are rounded to floating-point types of 8 bits, which Cutset does not have.
void ignore_rounding(const Node& n) { n.ignore({"saturate", "round_mode"}); }

// Before version 6, the type is a text.
Results cast_to(Node& n) {
  ignore_rounding(n);
  return {converted(n.in(0),
                    n.opset() < 6 ? dtype_of_onnx_name(n.text("to", "")) : dtype_of_onnx(n.number("to", 0)))};
}
Results cast_like(Node& n) {
  ignore_rounding(n);
  return {converted(n.in(0), n.type(1).dtype)};
}

Results bit_cast(Node& n) {
  const DType from = n.type(0).dtype, to = dtype_of_onnx(n.number("to", 0));
  if (size_of(from) != size_of(to))
    invalid(std::string(name_of(from)) + " and " + name_of(to) + " differ in size");
  return {bitcast(n.in(0), {.dtype = to})};
}

}  // namespace

static void add_casts(Converters& table) {
  table.insert({{"Cast", cast_to}, {"CastLike", cast_like}, {"BitCast", bit_cast}});
}

static const ConverterFamily kCastsConverters(add_casts);

}  // namespace cutset::onnx
