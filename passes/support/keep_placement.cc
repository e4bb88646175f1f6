#include "passes/support/keep_placement.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using cutset::ir::PlacedOpInterface;
using cutset::ir::Placement;

namespace cutset::passes {

static void give(Operation* op, const Placement& placement) {
  if (auto placed = dyn_cast_or_null<PlacedOpInterface>(op))
    if (placed.placement().unset()) placed.placement() = placement;
}

void KeepPlacement::notifyPatternBegin(const Pattern&, Operation* op) {
  root_.reset();
  if (auto placed = dyn_cast<PlacedOpInterface>(op)) root_ = placed.placement();
}

void KeepPlacement::notifyOperationInserted(Operation* op, OpBuilder::InsertPoint previous) {
  if (previous.isSet()) return;  // moved, not made
  made_.insert(op);
  if (root_) give(op, *root_);
}

void KeepPlacement::notifyOperationReplaced(Operation* op, ValueRange by) {
  auto placed = dyn_cast<PlacedOpInterface>(op);
  if (!placed) return;
  SmallVector<Operation*> work;
  for (Value v : by)
    if (Operation* definer = v.getDefiningOp()) work.push_back(definer);
  while (!work.empty()) {  // back over what this rewrite made, not further
    Operation* definer = work.pop_back_val();
    if (!made_.erase(definer)) {
      // Merged into an equal op: a user's choice outlives that of a cost.
      auto survivor = dyn_cast<PlacedOpInterface>(definer);
      if (survivor && op->getName() == definer->getName() && placed.placement().byUser() &&
          survivor.placement() == placed.placement())
        survivor.placement().reason = placed.placement().reason;
      continue;
    }
    give(definer, placed.placement());
    for (Value v : definer->getOperands())
      if (Operation* next = v.getDefiningOp()) work.push_back(next);
  }
}

void CheckPlacement::runBeforePass(Pass*, Operation* op) {
  if (!pins_.empty()) return;
  op->walk([&](PlacedOpInterface placed) {
    if (placed.placement().byUser() && placed.placement().id) pins_[placed.placement().id] = placed.placement().device;
  });
}

void CheckPlacement::runAfterPass(Pass* pass, Operation* op) {
  identified_ |= pass->getArgument() == "functions";
  placed_ |= pass->getArgument() == "place";
  op->walk([&](PlacedOpInterface placed) {
    const Placement& p = placed.placement();
    auto complain = [&]() {
      failed_ = true;
      return placed->emitOpError() << "after --" << pass->getArgument() << ": ";
    };
    if (identified_ && !p.id) complain() << "was made by a rewrite that did not say for which op (no id)";
    auto pin = pins_.find(p.id);
    if (pin != pins_.end() && p.device != pin->second)
      complain() << "lost its device: the user set " << pin->second << ", it is "
                 << (p.device ? p.device.getValue() : "none");
    if (placed_ && (!p.device || !p.reason)) complain() << "has no device or no reason for it";
  });
}

}  // namespace cutset::passes
