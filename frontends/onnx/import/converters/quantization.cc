// SPDX-License-Identifier: Apache-2.0
// Conversions between numbers and the integers that stand for them.
#include <cutset/onnx_ops/quantization.h>
#include <cutset/ops.h>
#include <cutset/quantization.h>

#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/values/converted.h"

namespace cutset::onnx {
namespace {

QuantizationGroups groups_of(const Node& n) {
  return {.axis = n.number("axis", 1), .block_size = n.number("block_size", 0)};
}

// The operand may have another type than the scale. The attribute `precision` says in which type the quotient
// is computed.
Results quantized(Node& n) {
  n.ignore({"saturate"});  // concerns only floating-point types of 8 bits, which Cutset does not have
  const int64_t type = n.number("output_dtype", 0), precision = n.number("precision", 0);
  const DType floats = precision ? dtype_of_onnx(precision) : n.type(1).dtype;
  return {quantize_linear(converted(n.in(0), floats), converted(n.in(1), floats), n.optional(2),
                          type ? dtype_of_onnx(type) : DType::u8, groups_of(n))};
}

Results dequantized(Node& n) {
  const Tensor y = dequantize_linear(n.in(0), n.in(1), n.optional(2), groups_of(n));
  const int64_t type = n.number("output_dtype", 0);
  return {type ? converted(y, dtype_of_onnx(type)) : y};
}

Results dynamically_quantized(Node& n) {
  const onnx_ops::DynamicallyQuantized q = onnx_ops::dynamic_quantize_linear(n.in(0));
  return {q.y, q.scale, q.zero_point};
}

}  // namespace

static void add_quantization(Converters& table) {
  table.insert({{"QuantizeLinear", quantized},
                {"DequantizeLinear", dequantized},
                {"com.microsoft.QuantizeLinear", quantized},
                {"com.microsoft.DequantizeLinear", dequantized},
                {"DynamicQuantizeLinear", dynamically_quantized}});
}

static const ConverterFamily kQuantizationConverters(add_quantization);

}  // namespace cutset::onnx
