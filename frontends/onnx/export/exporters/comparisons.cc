// SPDX-License-Identifier: Apache-2.0
// Comparisons and selections, element by element.
#include "frontends/onnx/export/exporters.h"

namespace cutset::onnx {
namespace {

Exported equal(ExportedOp& op) { return one(op.node("Equal", op.all())); }
Exported not_equal(ExportedOp& op) { return one(op.node("Not", {op.node("Equal", op.all())})); }

// Converts truth values to numbers, which have the same order, because ONNX does not order truth values.
Exported ordered(ExportedOp& op) {
  static const std::map<std::string_view, const char*> kNames = {{"greater", "Greater"},
                                                                 {"greater_equal", "GreaterOrEqual"},
                                                                 {"less", "Less"},
                                                                 {"less_equal", "LessOrEqual"}};
  ValueNames operands = op.all();
  if (op.type(0).dtype == DType::i1)
    for (std::string& operand : operands) operand = op.cast(operand, DType::i32);
  return one(op.node(kNames.at(op.name()), operands));
}

Exported where(ExportedOp& op) { return one(op.select(op.in(0), op.in(1), op.in(2), op.type(1).dtype)); }

// Whether no element is infinite or NaN.
Exported all_finite(ExportedOp& op) {
  std::string finite;
  for (const std::string& value : op.all()) {
    // x - x is 0 unless x is infinite or NaN.
    const std::string is_zero =
        op.node("Equal", {op.node("Sub", {value, value}), op.scalar(op.type(0).dtype, 0)});
    const std::string least =
        op.node("ReduceMin", {op.cast(is_zero, DType::i32)}, {{"keepdims", int64_t{0}}});
    const std::string all = op.cast(least, DType::i1);
    finite = finite.empty() ? all : op.node("And", {finite, all});
  }
  return one(finite);
}

}  // namespace

static void export_comparisons(Exporters& table) {
  table.insert({{"equal", equal},
                {"not_equal", not_equal},
                {"greater", ordered},
                {"greater_equal", ordered},
                {"less", ordered},
                {"less_equal", ordered},
                {"where", where},
                {"all_finite", all_finite}});
}

static const ExporterFamily kComparisonsExporters(export_comparisons);

}  // namespace cutset::onnx
