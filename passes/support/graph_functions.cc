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

namespace {

using Ops = llvm::DenseSet<Operation*>;

// The ops of @graph on which the results of a function that trains depend.
Ops needed_by_results(func::FuncOp graph, const GraphFunction& function) {
  Operation* end = graph.front().getTerminator();
  Ops needed;
  SmallVector<Value> work;
  for (const unsigned i : function.results) work.push_back(end->getOperand(i));
  while (!work.empty()) {
    Operation* op = chosen_value(work.pop_back_val(), /*trains=*/true).getDefiningOp();
    if (op && needed.insert(op).second) llvm::append_range(work, op->getOperands());
  }
  return needed;
}

}  // namespace

SmallVector<ir::AssignOp> assignments_of(func::FuncOp graph, StringAttr name, const GraphFunction& function) {
  if (!function.trains) return {};
  SmallVector<ir::AssignOp> assignments(graph.getOps<ir::AssignOp>());
  if (assignments.empty()) return {};
  const Ops needed = needed_by_results(graph, function);
  llvm::erase_if(assignments, [&](ir::AssignOp assign) {
    if (!assign.getMovedWith()) return assign.getFunction().value_or("train") != name.getValue();
    Operation* computed = chosen_value(assign.getMovedWith(), /*trains=*/true).getDefiningOp();
    return !computed || !needed.contains(computed);
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

}  // namespace cutset::passes
