// SPDX-License-Identifier: Apache-2.0
#include "passes/support/layout/forward_ops.h"

#include "ir/structural/structural.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

namespace {

// Returns the ops `roots`, and the ops on which they or `values` depend.
DenseSet<Operation*> needed_by(ArrayRef<Operation*> roots, SmallVector<Value> values) {
  DenseSet<Operation*> needed(roots.begin(), roots.end());
  for (Operation* root : roots) llvm::append_range(values, root->getOperands());
  while (!values.empty())
    if (Operation* definer = values.pop_back_val().getDefiningOp(); definer && needed.insert(definer).second)
      llvm::append_range(values, definer->getOperands());
  return needed;
}

// Whether the ops are of two stages. The devices on which a tensor axis computes one stage have different
// replica numbers.
bool are_of_two_stages(Operation* a, Operation* b) {
  auto placed_a = dyn_cast<ir::PlacedOpInterface>(a), placed_b = dyn_cast<ir::PlacedOpInterface>(b);
  return placed_a && placed_b && placed_a.placement().replica == placed_b.placement().replica &&
         (placed_a.placement().device != placed_b.placement().device ||
          a->getAttr(kStage) != b->getAttr(kStage));
}

}  // namespace

DenseSet<Operation*> needed_by_results(func::FuncOp function) {
  return needed_by({}, SmallVector<Value>(function.getBody().front().getTerminator()->getOperands()));
}

DenseSet<Operation*> forward_ops(func::FuncOp function) {
  SmallVector<Operation*> sent;
  SmallVector<Value> results;
  for (Operation& op : function.getBody().front())
    if (op.hasAttr(kForward) &&
        llvm::any_of(op.getUsers(), [&](Operation* user) { return are_of_two_stages(&op, user); }))
      sent.push_back(&op);
  for (auto [i, v] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands()))
    if (!function.getResultAttr(static_cast<unsigned>(i), kGradient)) results.push_back(v);
  return needed_by(sent, std::move(results));
}

void mark_forward_ops(func::FuncOp function) {
  for (Operation* op : forward_ops(function))
    if (isa<ir::PlacedOpInterface>(op)) op->setAttr(kForward, UnitAttr::get(op->getContext()));
}

DenseSet<Operation*> needed_by_backward_ops(func::FuncOp function) {
  const DenseSet<Operation*> forward = forward_ops(function);
  DenseSet<Operation*> needed;
  SmallVector<Operation*> work;
  const auto take_operands = [&](Operation* reader) {
    auto rules = dyn_cast<ir::CutsetOpInterface>(reader);
    for (OpOperand& operand : reader->getOpOperands()) {
      if (rules && rules.op_info().reads_type_only(operand.getOperandNumber())) continue;
      Operation* op = operand.get().getDefiningOp();
      if (op && op->hasAttr(kShardClass) && forward.contains(op) && needed.insert(op).second)
        work.push_back(op);
    }
  };
  for (Operation& op : function.getBody().front())
    if (op.hasAttr(kShardClass) && !forward.contains(&op)) take_operands(&op);
  while (!work.empty()) take_operands(work.pop_back_val());
  return needed;
}

}  // namespace cutset::passes
