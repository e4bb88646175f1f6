// SPDX-License-Identifier: Apache-2.0
#include "passes/support/placement/keep_placement.h"

#include "ir/structural/structural.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using cutset::ir::PlacedOpInterface;
using cutset::ir::Placement;

namespace cutset::passes {

static void set_if_unset(Operation* op, const Placement& placement) {
  if (auto placed = dyn_cast_or_null<PlacedOpInterface>(op))
    if (placed.placement().unset()) placed.placement() = placement;
}

void KeepPlacement::notifyPatternBegin(const Pattern&, Operation* op) {
  root_.reset();
  if (auto placed = dyn_cast<PlacedOpInterface>(op)) root_ = placed.placement();
}

void KeepPlacement::notifyOperationInserted(Operation* op, OpBuilder::InsertPoint previous) {
  if (previous.isSet()) return;  // the op was moved
  made_.insert(op);
  if (root_) set_if_unset(op, *root_);
}

void KeepPlacement::notifyOperationReplaced(Operation* op, ValueRange by) {
  auto placed = dyn_cast<PlacedOpInterface>(op);
  if (!placed) return;
  SmallVector<Operation*> work;
  for (Value v : by)
    if (Operation* definer = v.getDefiningOp()) work.push_back(definer);
  while (!work.empty()) {  // visits the ops that this rewrite made
    Operation* definer = work.pop_back_val();
    if (!made_.erase(definer)) {
      // The op was merged into an equal op, which keeps the pin of the user.
      auto survivor = dyn_cast<PlacedOpInterface>(definer);
      if (survivor && op->getName() == definer->getName() && placed.placement().by_user() &&
          survivor.placement() == placed.placement())
        survivor.placement().reason = placed.placement().reason;
      continue;
    }
    set_if_unset(definer, placed.placement());
    for (Value v : definer->getOperands())
      if (Operation* next = v.getDefiningOp()) work.push_back(next);
  }
}

void CheckPlacement::runBeforePass(Pass*, Operation* op) {
  if (promises_.identified) return;
  op->walk([&](PlacedOpInterface placed) {
    if (placed.placement().by_user() && placed.placement().id)
      promises_.pins[placed.placement().id] = placed.placement().device;
  });
}

void CheckPlacement::runAfterPass(Pass* pass, Operation* op) {
  const bool first = !promises_.identified;
  promises_.identified |= pass->getArgument() == "make-functions";
  promises_.placed |= pass->getArgument() == "place";
  const auto check = [&](PlacedOpInterface placed) {
    const Placement& p = placed.placement();
    auto complain = [&]() {
      promises_.broken = true;
      return placed->emitOpError() << "after --" << pass->getArgument() << ": ";
    };
    if (promises_.identified && !p.id)
      complain() << "has no id: the rewrite that made this op has not given it the id of the replaced op";
    if (first && promises_.identified && p.by_user()) promises_.pins[p.id] = p.device;
    auto pin = promises_.pins.find(p.id);
    if (pin != promises_.pins.end() && p.device != pin->second)
      complain() << "has lost its device: the user set " << pin->second << ", and the device is now "
                 << (p.device ? p.device.getValue() : "none");
    if (promises_.placed && (!p.device || !p.reason)) complain() << "has no device or no reason for it";
  };
  op->walk<WalkOrder::PreOrder>([&](Operation* visited) {
    if (isa<ir::ScheduleOp>(visited))
      return WalkResult::skip();  // its actions, which may be many, have no placements
    if (auto placed = dyn_cast<PlacedOpInterface>(visited)) check(placed);
    return WalkResult::advance();
  });
}

}  // namespace cutset::passes
