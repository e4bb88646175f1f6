// SPDX-License-Identifier: Apache-2.0
// Reductions and running sums.
#include "frontends/onnx/export/exporters.h"

namespace cutset::onnx {
namespace {

// ONNX does not reduce most integers of 8 and 16 bits, so they are reduced as i32. Sums, products and the
// conversion back all wrap around. The maximum and the minimum of no elements are the bounds of the element
// type, so i32 cannot replace the type if there are no elements.
Exported reduced(ExportedOp& op) {
  static const std::map<std::string_view, const char*> kNames = {{"reduce_sum", "ReduceSum"},
                                                                 {"reduce_max", "ReduceMax"},
                                                                 {"reduce_min", "ReduceMin"},
                                                                 {"reduce_prod", "ReduceProd"}};
  const DType type = op.type(0).dtype;
  const bool orders = op.name() == "reduce_max" || op.name() == "reduce_min";
  const bool narrow = !is_float(type) && size_of(type) < 4 && !(orders && size_of(type) == 1);
  if (narrow && orders && op.type(0).elements() == 0)
    return unsupported("ONNX does not reduce " + std::string(name_of(type)) + ", and there are no elements");
  ValueNames operands = {narrow ? op.cast(op.in(0), DType::i32) : op.in(0)};
  if (!op.numbers("axes").empty()) operands.push_back(op.list(op.numbers("axes")));
  const std::string value =
      op.node(kNames.at(op.name()), operands, {{"keepdims", int64_t{op.flag("keepdims")}}});
  return one(narrow ? op.cast(value, type) : value);
}

// Computes the number of elements that a mean divides by. Nodes compute it if it depends on the batch.
Exported count(ExportedOp& op) {
  const Sizes& sizes = op.sizes(0);
  const auto rank = static_cast<int64_t>(sizes.size());
  Sizes reduced;
  for (const int64_t axis : op.numbers("axes"))
    reduced.push_back(sizes[static_cast<size_t>(axis < 0 ? axis + rank : axis)]);
  return one(op.cast(op.product_of(op.numbers("axes").empty() ? sizes : reduced), op.result_type().dtype));
}

// ONNX's CumSum takes numbers of 32 and 64 bits.
Exported cumsum(ExportedOp& op) {
  const DType type = op.type(0).dtype;
  const bool narrow = !is_float(type) && size_of(type) < 4;
  const std::string x = narrow ? op.cast(op.in(0), DType::i32) : op.in(0);
  const std::string value =
      op.node("CumSum", {x, op.whole(op.axis())},
              {{"exclusive", int64_t{op.flag("exclusive")}}, {"reverse", int64_t{op.flag("reverse")}}});
  return one(narrow ? op.cast(value, type) : value);
}

}  // namespace

static void export_reductions(Exporters& table) {
  for (const char* name : {"reduce_sum", "reduce_max", "reduce_min", "reduce_prod"}) table[name] = reduced;
  table.insert({{"count", count}, {"cumsum", cumsum}});
}

static const ExporterFamily kReductionsExporters(export_reductions);

}  // namespace cutset::onnx
