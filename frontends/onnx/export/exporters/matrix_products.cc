// SPDX-License-Identifier: Apache-2.0
// Matrix products.
#include "frontends/onnx/export/exporters.h"

namespace cutset::onnx {
namespace {

std::string transposed(ExportedOp& op, size_t entry) {
  std::vector<int64_t> permutation;
  for (int64_t d = 0; d < op.type(entry).rank(); ++d) permutation.push_back(d);
  std::swap(permutation.back(), permutation[permutation.size() - 2]);
  return op.node("Transpose", {op.in(entry)}, {{"perm", permutation}});
}

// ONNX's MatMul has no transposed operands, and its Gemm takes matrices only.
Exported matmul(ExportedOp& op) {
  const bool x = op.flag("transpose_x"), y = op.flag("transpose_y");
  if (op.type(0).rank() == 2 && op.type(1).rank() == 2 && (x || y))
    return one(op.node("Gemm", op.all(), {{"transA", int64_t{x}}, {"transB", int64_t{y}}}));
  return one(op.node("MatMul", {x ? transposed(op, 0) : op.in(0), y ? transposed(op, 1) : op.in(1)}));
}

}  // namespace

static void export_matrix_products(Exporters& table) { table["matmul"] = matmul; }

static const ExporterFamily kMatrixProductsExporters(export_matrix_products);

}  // namespace cutset::onnx
