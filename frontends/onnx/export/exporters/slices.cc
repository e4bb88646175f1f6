// SPDX-License-Identifier: Apache-2.0
// Ops that take parts of tensors, join tensors, or add elements at their borders.
#include <limits>

#include "frontends/onnx/export/exporters.h"

namespace cutset::onnx {
namespace {

Exported concat(ExportedOp& op) { return one(op.node("Concat", op.all(), {{"axis", op.axis()}})); }

Exported slice(ExportedOp& op) {
  const int64_t start = op.number("start"), length = op.number("length");
  const int64_t end = length < 0 ? std::numeric_limits<int64_t>::max() : start + length;
  return one(op.node("Slice", {op.in(0), op.list({start}), op.list({end}), op.list({op.axis()})}));
}

Exported split(ExportedOp& op) {
  const auto& sizes = op.numbers("sizes");
  return op.nodes("Split", {op.in(0), op.list(sizes)}, sizes.size(), {{"axis", op.axis()}});
}

Exported pad(ExportedOp& op) {
  return one(op.node("Pad",
                     {op.in(0), op.list({op.number("before"), op.number("after")}), "", op.list({op.axis()})},
                     {{"mode", op.text("mode")}}));
}

Exported triangle(ExportedOp& op) {
  return one(
      op.node("Trilu", {op.in(0), op.whole(op.number("diagonal"))}, {{"upper", int64_t{op.flag("upper")}}}));
}

}  // namespace

static void export_slices(Exporters& table) {
  table.insert(
      {{"concat", concat}, {"slice", slice}, {"split_with_sizes", split}, {"pad", pad}, {"trilu", triangle}});
}

static const ExporterFamily kSlicesExporters(export_slices);

}  // namespace cutset::onnx
