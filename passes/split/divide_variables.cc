// SPDX-License-Identifier: Apache-2.0
#include "passes/split/divide_variables.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/passes.h"
#include "passes/support/graph_functions.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// Returns the largest dimension that has at least `pieces` elements and along which the update can be
// divided; -1: none. If `only` is not -1, no other dimension is considered.
int best_axis(Operation* update, const OpInfo& info, int64_t pieces, int only) {
  const ShardingRule rule =
      info.shard(ir::flat_attributes(update).data(), ir::tensor_types(update->getOperands()));
  const auto type = cast<RankedTensorType>(update->getOperand(0).getType());
  int best = -1;
  for (const Factor& f : rule.factors) {
    const int d = f.operands[0];
    if (d < 0 || !f.is_parallel() || (only >= 0 && d != only)) continue;
    if (type.getDimSize(static_cast<unsigned>(d)) < pieces) continue;
    if (best < 0 || type.getDimSize(static_cast<unsigned>(d)) > type.getDimSize(static_cast<unsigned>(best)))
      best = d;
  }
  return best;
}

}  // namespace

void divide_variables(ModuleOp module, const FittedStrategy& strategy, const std::optional<Plan>& plan) {
  const SymbolTable symbols(module);
  llvm::StringMap<int> axes;
  if (plan && plan->program.empty()) {
    for (const Plan::Home& home : plan->homes)
      if (home.replica_axis >= 0) axes[home.variable] = home.replica_axis;
  } else {
    // A variable that several functions train is divided only if all of their updates can be divided alike.
    for (const auto& [name, updates] : updates_of(module)) {
      auto variable = symbols.lookup<ir::VariableOp>(name);
      if (!variable) continue;
      const auto before =
          variable.getPiecesAttr();  // the pieces of the devices of the tensor axis, which are divided again
      const auto axis_of = [&](ir::CutsetOpInterface op) {
        return before ? best_axis(op, op.op_info(), strategy.replicas(), static_cast<int>(before[0]))
                      : best_axis(op, op.op_info(), strategy.copies(), -1);
      };
      const int axis = axis_of(updates.front());
      if (axis >= 0 && llvm::all_of(updates, [&](auto op) { return axis_of(op) == axis; })) axes[name] = axis;
    }
  }
  Builder b(module.getContext());
  for (auto v : module.getOps<ir::VariableOp>()) {
    auto owner = v.getStateOf() ? symbols.lookup<ir::VariableOp>(*v.getStateOf()) : v;
    const auto its = owner ? axes.find(owner.getSymName()) : axes.end();
    if (its == axes.end() || !v.has_shape_of(owner)) continue;
    v->setAttr(kDividedBefore, v.getPiecesAttr() ? v.getPiecesAttr() : b.getDenseI64ArrayAttr({}));
    v.setPiecesAttr(b.getDenseI64ArrayAttr({its->second, strategy.copies(), 1}));
  }
}

llvm::StringMap<DividedVariable> divided_variables(ModuleOp module) {
  llvm::StringMap<DividedVariable> divided;
  for (auto v : module.getOps<ir::VariableOp>())
    if (auto before = v->getAttrOfType<DenseI64ArrayAttr>(kDividedBefore))
      divided[v.getSymName()] = {static_cast<int>(v.getPieces()->front()), !before.empty()};
  return divided;
}

ReplicaPieces replica_pieces(Operation* op, const llvm::StringMap<DividedVariable>& divided) {
  StringRef variable;
  int64_t device = 0;
  auto rules = dyn_cast<ir::CutsetOpInterface>(op);
  if (auto read = dyn_cast<ir::ReadOp>(op)) {
    variable = read.getVariable();
    device = static_cast<int64_t>(read.getReplica());
  }
  if (auto assign = dyn_cast<ir::AssignOp>(op)) {
    variable = assign.getVariable();
    device = static_cast<int64_t>(assign.getReplica());
  }
  if (rules && rules.op_info().updates > 0)
    if (auto read = op->getOperand(0).getDefiningOp<ir::ReadOp>()) {
      variable = read.getVariable();
      device = static_cast<int64_t>(read.getReplica());
    }
  if (rules && rules.op_info().rounds_alike)  // the gradient of an update
    for (Operation* user : op->getUsers())
      if (auto next = dyn_cast<ir::CutsetOpInterface>(user);
          next && (next.op_info().updates > 0 || next.op_info().rounds_alike))
        return replica_pieces(user, divided);
  const auto its = divided.find(variable);
  if (its == divided.end()) return {};
  return {.axis = its->second.axis, .device = device, .of_piece = its->second.has_pieces};
}

}  // namespace cutset::passes
