#include "passes/support/needed_by_results.h"

#include "ir/structural/structural.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

DenseSet<Operation*> needed_by_results(func::FuncOp function, bool gradients) {
  DenseSet<Operation*> needed;
  SmallVector<Value> work;
  for (auto [i, v] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands()))
    if (gradients || !function.getResultAttr(static_cast<unsigned>(i), kGradient)) work.push_back(v);
  while (!work.empty())
    if (Operation* definer = work.pop_back_val().getDefiningOp(); definer && needed.insert(definer).second)
      llvm::append_range(work, definer->getOperands());
  return needed;
}

DenseSet<Operation*> needed_by_backward_ops(func::FuncOp function) {
  const DenseSet<Operation*> forward = needed_by_results(function, false);
  DenseSet<Operation*> needed;
  SmallVector<Operation*> work;
  const auto take_operands = [&](Operation* reader) {
    auto rules = dyn_cast<ir::CutsetOpInterface>(reader);
    for (OpOperand& operand : reader->getOpOperands()) {
      if (rules && rules.op_info().reads_type_only(operand.getOperandNumber())) continue;
      Operation* op = operand.get().getDefiningOp();
      if (op && op->hasAttr(kShardClass) && forward.contains(op) && needed.insert(op).second) work.push_back(op);
    }
  };
  for (Operation& op : function.getBody().front())
    if (op.hasAttr(kShardClass) && !forward.contains(&op)) take_operands(&op);
  while (!work.empty()) take_operands(work.pop_back_val());
  return needed;
}

}  // namespace cutset::passes
