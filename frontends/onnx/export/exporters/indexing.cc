// SPDX-License-Identifier: Apache-2.0
// Ops that take elements at indices, and ops that return indices.
#include <algorithm>
#include <numeric>

#include "frontends/onnx/export/exporters.h"
#include "frontends/onnx/export/exporters/indices.h"

namespace cutset::onnx {
namespace {

Exported gather(ExportedOp& op) {
  if (op.number("table_rows") != 0) return unsupported("its operand is a piece of a table");
  const int64_t axis = op.axis(), behind = op.type(0).rank() - axis - 1;
  CUTSET_ASSIGN(const ValidIndices valid, valid_indices(op, axis));
  const std::string value = op.node("Gather", {op.in(0), valid.indices}, {{"axis", axis}});
  if (valid.inside.empty()) return one(value);
  std::vector<int64_t> trailing(static_cast<size_t>(behind));
  std::iota(trailing.begin(), trailing.end(), -behind);
  const std::string inside =
      trailing.empty() ? valid.inside : op.node("Unsqueeze", {valid.inside, op.list(trailing)});
  return one(op.select(inside, value, element_out_of_range(op, op.type(0).dtype), op.type(0).dtype));
}

Exported gather_elements(ExportedOp& op) {
  CUTSET_ASSIGN(const ValidIndices valid, valid_indices(op, op.axis()));
  const std::string value = op.node("GatherElements", {op.in(0), valid.indices}, {{"axis", op.axis()}});
  if (valid.inside.empty()) return one(value);
  return one(op.select(valid.inside, value, element_out_of_range(op, op.type(0).dtype), op.type(0).dtype));
}

// One index that is out of range makes its whole line NaN.
Exported scatter_elements(ExportedOp& op) {
  const int64_t axis = op.axis();
  CUTSET_ASSIGN(const ValidIndices valid, valid_indices(op, axis));
  const std::string value = op.node("ScatterElements", {op.in(0), valid.indices, op.in(2)},
                                    {{"axis", axis}, {"reduction", op.text("reduction")}});
  if (valid.inside.empty()) return one(value);
  for (size_t d = 0; d < op.sizes(0).size(); ++d)
    if (static_cast<int64_t>(d) != axis && op.sizes(0)[d] != op.sizes(1)[d])
      return unsupported(
          "its indices are not constant, and smaller than its operand along another dimension than axis");
  const std::string inside = op.node("ReduceMin", {op.cast(valid.inside, DType::i32), op.list({axis})});
  return one(op.select(op.cast(inside, DType::i1), value, element_out_of_range(op, op.type(0).dtype),
                       op.type(0).dtype));
}

// ONNX does not define ArgMax for NaN. In Cutset, NaN is the maximum and the minimum.
Exported extreme_index(ExportedOp& op) {
  const DType type = op.type(0).dtype;
  const NodeAttributes attributes = {{"axis", op.axis()},
                                     {"keepdims", int64_t{0}},
                                     {"select_last_index", int64_t{op.flag("select_last_index")}}};
  const std::string x = type == DType::i1 ? op.cast(op.in(0), DType::i32) : op.in(0);
  const std::string value = op.node(op.name() == "argmax" ? "ArgMax" : "ArgMin", {x}, attributes);
  if (!is_float(type)) return one(value);
  const std::string nan = op.cast(op.node("IsNaN", {x}), DType::i32);
  const std::string some = op.node("ReduceMax", {nan, op.list({op.axis()})}, {{"keepdims", int64_t{0}}});
  return one(op.node("Where", {op.cast(some, DType::i1), op.node("ArgMax", {nan}, attributes), value}));
}

// ONNX does not order truth values.
Exported top_k(ExportedOp& op) {
  const bool truth = op.type(0).dtype == DType::i1;
  ValueNames names =
      op.nodes("TopK", {truth ? op.cast(op.in(0), DType::i32) : op.in(0), op.list({op.number("k")})}, 2,
               {{"axis", op.axis()}, {"largest", int64_t{op.flag("largest")}}});
  if (truth) names[0] = op.cast(names[0], DType::i1);
  return names;
}

// ONNX's OneHot counts negative labels from the end. In Cutset, negative labels give zeros, as a comparison
// does.
Exported one_hot(ExportedOp& op) {
  HostTensor classes({op.type(0).dtype, {op.number("depth")}});
  for (int64_t i = 0; i < classes.elements(); ++i) classes.set(i, static_cast<double>(i));
  const std::string labels = op.node("Unsqueeze", {op.in(0), op.list({-1})});
  return one(op.cast(op.node("Equal", {labels, op.constant(std::move(classes))}), op.dtype("dtype")));
}

}  // namespace

static void export_indexing(Exporters& table) {
  table.insert({{"gather", gather},
                {"gather_elements", gather_elements},
                {"scatter_elements", scatter_elements},
                {"argmax", extreme_index},
                {"argmin", extreme_index},
                {"top_k", top_k},
                {"one_hot", one_hot}});
}

static const ExporterFamily kIndexingExporters(export_indexing);

}  // namespace cutset::onnx
