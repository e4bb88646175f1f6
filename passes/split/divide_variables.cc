#include "passes/split/divide_variables.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// The largest dimension that has an element for each replica and along which the update can be divided; -1: none.
int best_axis(Operation* update, const OpInfo& info, int64_t replicas) {
  const ShardingRule rule = info.shard(ir::flat_attributes(update).data(), ir::tensor_types(update->getOperands()));
  const auto type = cast<RankedTensorType>(update->getOperand(0).getType());
  int best = -1;
  for (const Factor& f : rule.factors) {
    const int d = f.operands[0];
    if (d < 0 || !f.is_parallel() || type.getDimSize(static_cast<unsigned>(d)) < replicas) continue;
    if (best < 0 || type.getDimSize(static_cast<unsigned>(d)) > type.getDimSize(static_cast<unsigned>(best))) best = d;
  }
  return best;
}

}  // namespace

void divide_variables(ModuleOp module, int64_t replicas, const std::optional<Plan>& plan) {
  llvm::StringMap<int> axes;
  if (plan && plan->program.empty()) {
    for (const Plan::Home& home : plan->homes)
      if (home.axis >= 0) axes[home.variable] = home.axis;
  } else if (auto train = module.lookupSymbol<func::FuncOp>("train")) {
    for (auto op : train.getOps<ir::CutsetOpInterface>()) {
      if (op.op_info().updates == 0) continue;
      auto read = op->getOperand(0).getDefiningOp<ir::ReadOp>();
      if (const int axis = read ? best_axis(op, op.op_info(), replicas) : -1; axis >= 0)
        axes[read.getVariable()] = axis;
    }
  }
  const SymbolTable symbols(module);
  for (auto v : module.getOps<ir::VariableOp>()) {
    auto owner = v.getStateOf() ? symbols.lookup<ir::VariableOp>(*v.getStateOf()) : v;
    const auto its = owner ? axes.find(owner.getSymName()) : axes.end();
    if (its != axes.end() && v.getType() == owner.getType())
      v.setPiecesAttr(Builder(module.getContext()).getDenseI64ArrayAttr({its->second, replicas, 1}));
  }
}

llvm::StringMap<int> divided_variables(ModuleOp module) {
  llvm::StringMap<int> axes;
  for (auto v : module.getOps<ir::VariableOp>())
    if (auto pieces = v.getPiecesAttr()) axes[v.getSymName()] = static_cast<int>(pieces[0]);
  return axes;
}

}  // namespace cutset::passes
