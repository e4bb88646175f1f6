// SPDX-License-Identifier: Apache-2.0
#include "passes/support/layout/folding.h"

#include "ir/core/op/reference_run.h"
#include "ir/structural/structural.h"
#include "passes/support/placement/value_origin.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// Whether the result may be folded. MLIR keeps every constant until the context is destroyed, so results of
// more than 1024 bytes are not folded.
bool foldable(const TensorType& result) { return result.bytes() <= 1024 && result.dtype != DType::i1; }

}  // namespace

bool is_folded(ir::PlacedOpInterface op) {
  const OpInfo& info = cast<ir::CutsetOpInterface>(*op).op_info();
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (!info.reads_type_only(i)) return false;
  return op->getNumResults() == 1 && foldable(*ir::tensor_type(op->getResult(0).getType()));
}

void fold(ir::PlacedOpInterface op) {
  const OpInfo& info = cast<ir::CutsetOpInterface>(*op).op_info();
  if (op->getNumResults() != 1 || op->getNumOperands() == 0) return;
  if (reads_rows_of_samples(op)) return;
  const TensorType out = *ir::tensor_type(op->getResult(0).getType());
  if (!foldable(out)) return;
  const Types in = ir::tensor_types(op->getOperands());
  std::vector<TensorView> operands;
  std::vector<std::vector<char>> held;
  for (auto [i, v] : llvm::enumerate(op->getOperands())) {
    void* data = nullptr;
    if (auto constant = v.getDefiningOp<ir::ConstantOp>()) {
      auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
      if (!value || in[i].dtype == DType::i1) return;
      auto raw = value.getRawData();
      auto& bytes = held.emplace_back(static_cast<size_t>(in[i].bytes()));
      for (size_t b = 0; b < bytes.size(); ++b) bytes[b] = raw[b % raw.size()];  // a splat has one element
      data = bytes.data();
    } else if (!info.reads_type_only(i)) {
      return;
    }
    operands.emplace_back(data, in[i]);
  }
  std::vector<char> bytes(static_cast<size_t>(out.bytes()));
  const TensorView result(bytes.data(), out);
  if (!run_reference(info, ir::flat_attributes(op).data(), operands, {&result, 1}).ok()) return;
  OpBuilder b(op);
  auto value = DenseElementsAttr::getFromRawBuffer(cast<ShapedType>(op->getResult(0).getType()), bytes);
  auto constant = ir::ConstantOp::create(b, op->getLoc(), value);
  if (Attribute origin = op->getDiscardableAttr(kOrigin)) constant->setDiscardableAttr(kOrigin, origin);
  op->getResult(0).replaceAllUsesWith(constant);
}

void fold_scalars(func::FuncOp function) {
  for (auto op : llvm::to_vector(function.getOps<ir::PlacedOpInterface>())) {
    if (op->getNumResults() != 1 || cast<RankedTensorType>(op->getResult(0).getType()).getRank() > 0)
      continue;
    fold(op);
    if (op->use_empty() && isMemoryEffectFree(op)) op->erase();
  }
}

}  // namespace cutset::passes
