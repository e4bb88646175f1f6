// SPDX-License-Identifier: Apache-2.0
#include "passes/support/graph_functions.h"

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

llvm::MapVector<StringAttr, GraphFunction> functions_of(func::FuncOp graph) {
  Builder b(graph.getContext());
  GraphFunction shared;
  llvm::MapVector<StringAttr, GraphFunction> named, functions;
  for (unsigned i = 0; i < graph.getNumResults(); ++i) {
    const auto name = graph.getResultAttrOfType<StringAttr>(i, kFunction);
    GraphFunction& function = name ? named[name] : shared;
    function.results.push_back(i);
    if (graph.getResultAttr(i, kMinimize)) function.trains = true;
  }
  const StringAttr evaluate = b.getStringAttr("evaluate");
  if (shared.trains) functions[b.getStringAttr("train")] = shared;
  if (!named.contains(evaluate) && (!shared.results.empty() || named.empty()))
    functions[evaluate] = {.results = shared.results};
  for (auto& [name, function] : named) functions.try_emplace(name, function);
  return functions;
}

Value chosen_value(Value v, bool trains) {
  while (auto either = v.getDefiningOp<ir::WhenTrainingOp>())
    v = trains ? either.getTraining() : either.getOtherwise();
  return v;
}

void add_needed(NeededOps& needed, Value value, bool trains) {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Operation* op = chosen_value(work.pop_back_val(), trains).getDefiningOp();
    if (op && needed.insert(op).second) llvm::append_range(work, op->getOperands());
  }
}

NeededOps needed_by_results(func::FuncOp graph, const GraphFunction& function) {
  NeededOps needed;
  for (const unsigned i : function.results)
    add_needed(needed, graph.front().getTerminator()->getOperand(i), function.trains);
  return needed;
}

SmallVector<ir::AssignOp> assignments_of(func::FuncOp graph, StringAttr name, const GraphFunction& function,
                                         const NeededOps& needed) {
  if (!function.trains) return {};
  SmallVector<ir::AssignOp> assignments(graph.getOps<ir::AssignOp>());
  llvm::erase_if(assignments, [&](ir::AssignOp assign) {
    if (!assign.getMovedWith()) return function_of(assign) != name.getValue();
    return !needed.contains(chosen_value(assign.getMovedWith(), /*trains=*/true).getDefiningOp());
  });
  return assignments;
}

bool trains(func::FuncOp function) {
  return !function.isExternal() &&
         function.walk([](ir::AssignOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

SmallVector<func::FuncOp> training_functions(ModuleOp module) {
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  llvm::erase_if(functions, [](func::FuncOp function) { return !trains(function); });
  return functions;
}

llvm::StringMap<SmallVector<ir::CutsetOpInterface>> updates_of(ModuleOp module) {
  llvm::StringMap<SmallVector<ir::CutsetOpInterface>> updates;
  for (func::FuncOp function : training_functions(module))
    for (auto op : function.getOps<ir::CutsetOpInterface>())
      if (auto read = op.op_info().updates ? op->getOperand(0).getDefiningOp<ir::ReadOp>() : nullptr)
        updates[read.getVariable()].push_back(op);
  return updates;
}

}  // namespace cutset::passes
