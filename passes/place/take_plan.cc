// SPDX-License-Identifier: Apache-2.0
#include "passes/place/take_plan.h"

#include "mlir/IR/SymbolTable.h"
#include "passes/passes.h"
#include "passes/place/plan.h"
#include "passes/place/reasons.h"

using namespace mlir;

namespace cutset::passes {

LogicalResult take_pins(Choices& choices) {
  for (Group& group : choices.groups)
    for (ir::PlacedOpInterface op : group.ops) {
      if (!op.placement().by_user()) continue;
      if (group.updates) return op->emitOpError("is pinned, but an update runs where its variable lives");
      const int device = choices.index_of(op.placement().device.getValue());
      if (device < 0)
        return op->emitOpError() << "is placed on " << op.placement().device
                                 << ", which is not among the devices " << names_text(choices.config.devices);
      if (failed(choices.choose(group, static_cast<size_t>(device), "user"))) return failure();
    }
  return success();
}

namespace {

// Takes the line of an op. `of_user`: the user gave the plan, so that it was not made by an earlier
// compilation of the session.
LogicalResult take_line(Choices& choices, Group& group, const Plan::Op& line, bool of_user) {
  const DeviceList& devices = choices.config.devices;
  ir::PlacedOpInterface op = group.ops.front();
  const auto named = [&](ir::PlacedOpInterface o) { return o->getName().stripDialect() == line.op; };
  // In a plan of the session, the id of an op that joins rows may belong to another op here, because these
  // ids depend on which functions are compiled together.
  if (!of_user && llvm::none_of(group.ops, named)) return success();
  if (llvm::none_of(group.ops, named))
    return op->emitOpError() << "has the id " << group.key.id << "; " << line_text(line.line) << " calls it '"
                             << line.op << "'";
  if (group.updates) {
    if (!of_user) return success();
    return op->emitOpError() << "is an update, which runs on the home of its variable, so "
                             << line_text(line.line)
                             << " cannot place it (edit the line of the variable instead)";
  }
  const int device = choices.index_of(line.device);
  if (device < 0)
    return op->emitOpError() << "is to run on \"" << line.device << "\" (" << line_text(line.line)
                             << "), which is not among the devices " << names_text(devices);
  if (failed(check_stage(choices.stages(), group, line, static_cast<size_t>(device)))) return failure();
  if (line.stage >= 0) choices.planned_stages[group.key] = static_cast<int>(line.stage);
  if (auto pinned = choices.chosen.find(group.key); pinned != choices.chosen.end()) {
    if (pinned->second.first == static_cast<size_t>(device)) return success();
    return op->emitOpError() << "is pinned to " << devices[pinned->second.first]->name() << ", and "
                             << line_text(line.line) << " places it on " << line.device;
  }
  return choices.choose(group, static_cast<size_t>(device), "plan");
}

// Fails if the line of a variable does not name one device of each copy.
LogicalResult check_home(const Choices& choices, ir::VariableOp variable, const Plan::Home& home) {
  const FittedStrategy& strategy = choices.config.strategy;
  const int64_t copies = strategy.copies();
  if (home.devices.size() != static_cast<size_t>(copies))
    return variable.emitOpError() << "has " << copies << (copies == 1 ? " copy" : " copies") << "; "
                                  << line_text(home.line) << " names " << home.devices.size()
                                  << " devices for it";
  for (size_t r = 0; r < home.devices.size(); ++r) {
    const int device = choices.index_of(home.devices[r]);
    if (device < 0)
      return variable.emitOpError() << "is to live on \"" << home.devices[r] << "\" (" << line_text(home.line)
                                    << "), which is not among the devices "
                                    << names_text(choices.config.devices);
    const int64_t copy = copy_at_home(variable, static_cast<int64_t>(r), strategy);
    if (choices.grid().copy_of(static_cast<size_t>(device)) != copy)
      return variable.emitOpError() << "is to live on " << home.devices[r] << " (" << line_text(home.line)
                                    << "), which is not a device of " << copy_text(strategy, copy);
  }
  return success();
}

LogicalResult take_homes(ModuleOp module, Choices& choices) {
  const SymbolTable symbols(module);
  for (const Plan::Home& home : choices.config.plan->homes) {
    auto variable = symbols.lookup<ir::VariableOp>(home.variable);
    // A plan of the session may name the state of an optimizer, which only @train has.
    if (!variable && choices.plan_of_session()) continue;
    if (!variable)
      return module.emitError() << line_text(home.line) << " names the variable '" << home.variable
                                << "', which the program does not have";
    if (failed(check_home(choices, variable, home))) return failure();
    choices.planned_homes[home.variable] = &home;
  }
  return success();
}

}  // namespace

LogicalResult take_plan(ModuleOp module, Choices& choices) {
  const std::optional<Plan>& plan = choices.config.plan;
  if (!plan) return success();
  const bool of_user = !choices.plan_of_session();
  auto name = module->getAttrOfType<StringAttr>(kProgram);
  if (of_user && name && name.getValue() != plan->program)
    return module.emitError() << "the plan was made for the program '" << plan->program
                              << "'; this is the program " << name;
  std::map<GroupKey, Group*> group_of;
  int64_t last = 0;
  for (Group& group : choices.groups) {
    group_of[group.key] = &group;
    last = std::max(last, group.key.id);
  }
  const int64_t copies = choices.config.strategy.copies();
  for (const Plan::Op& line : plan->ops) {
    if (line.replica >= copies)
      return module.emitError() << line_text(line.line) << " places op " << line.id << " of replica "
                                << line.replica << "; the number of replicas is " << copies
                                << ", and they are numbered from 0";
    auto it = group_of.find({line.replica, line.id});
    // With another batch size, ops may have been folded. A missing id is an error only if it exceeds the ids
    // of all groups.
    if (it == group_of.end() && of_user && line.id > last)
      return module.emitError() << line_text(line.line) << " places op " << line.id
                                << "; the ids of this program end at " << last;
    if (it != group_of.end() && failed(take_line(choices, *it->second, line, of_user))) return failure();
  }
  return take_homes(module, choices);
}

}  // namespace cutset::passes
