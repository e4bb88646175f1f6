// SPDX-License-Identifier: Apache-2.0
#include "passes/place/place_updates.h"

#include "passes/passes.h"
#include "passes/place/reasons.h"
#include "passes/place/variable_homes.h"

using namespace mlir;

namespace cutset::passes {

void set_placement(ir::PlacedOpInterface op, const Choices& choices, size_t device, StringRef reason) {
  MLIRContext* context = op->getContext();
  op.placement().device = StringAttr::get(context, choices.config.devices[device]->name());
  op.placement().reason = StringAttr::get(context, reason);
}

void set_stage(Operation* op, int64_t stage) {
  op->setAttr(kStage, IntegerAttr::get(IntegerType::get(op->getContext(), 64), stage));
}

namespace {

size_t updates_of_op(ir::PlacedOpInterface op) {
  return static_cast<size_t>(cast<ir::CutsetOpInterface>(*op).op_info().updates);
}

// Gives the states that `op` updates the home of `variable`.
LogicalResult keep_states_with(ir::ReadOp variable, ir::PlacedOpInterface op, const Choices& choices,
                               VariableHomes& homes) {
  const StringAttr home = homes.of(variable);
  for (Value v : op->getOperands().take_front(updates_of_op(op))) {
    auto state = v.getDefiningOp<ir::ReadOp>();
    if (!state || state.getVariable() == variable.getVariable()) continue;
    auto planned = choices.planned_homes.find(state.getVariable().str());
    if (planned != choices.planned_homes.end() && homes.of(state) != home)
      return op->emitOpError() << "keeps its state @" << state.getVariable() << " with @"
                               << variable.getVariable() << " on " << home << "; "
                               << line_text(planned->second->line) << " says " << homes.of(state);
    homes.of(state) = home;
  }
  return success();
}

// Places a group with updates at the home of its variable, which is operand 0 of the first update.
LogicalResult place_group(Group& group, Choices& choices, VariableHomes& homes) {
  ir::ReadOp variable;
  for (ir::PlacedOpInterface op : group.ops) {
    if (updates_of_op(op) == 0) continue;
    auto updated = op->getOperand(0).getDefiningOp<ir::ReadOp>();
    if (!updated) return op->emitOpError("updates something that is not a variable");
    if (!variable) {
      variable = updated;
      const auto home = static_cast<size_t>(choices.index_of(homes.of(variable)));
      if (failed(choices.choose(group, home, "home of @" + variable.getVariable().str()))) return failure();
    }
    const auto& [device, reason] = choices.chosen[group.key];
    set_placement(op, choices, device, reason);
    if (failed(keep_states_with(variable, op, choices, homes))) return failure();
  }
  // The other ops of the group, such as the sum of the gradients of the variable, run where the update runs.
  const auto& [device, reason] = choices.chosen[group.key];
  for (ir::PlacedOpInterface op : group.ops) {
    if (updates_of_op(op) > 0) continue;
    set_placement(op, choices, device, reason);
    if (choices.config.strategy.chunks() > 1) set_stage(op, stage_of_sum(choices.stages(), op, device));
  }
  return success();
}

}  // namespace

LogicalResult place_updates(ModuleOp module, Choices& choices) {
  VariableHomes homes(module, choices.config, choices.grid(), choices.planned_homes);
  for (Group& group : choices.groups)
    if (group.updates && failed(place_group(group, choices, homes))) return failure();
  homes.write();
  return success();
}

}  // namespace cutset::passes
