// SPDX-License-Identifier: Apache-2.0
#include "passes/emit/in_place.h"

using namespace mlir;

namespace cutset::passes {

llvm::MapVector<Value, StringAttr> updates_in_place(func::FuncOp role) {
  llvm::DenseMap<StringAttr, SmallVector<ir::ReadOp, 1>> reads;
  for (auto read : role.getOps<ir::ReadOp>()) reads[read.getVariableAttr().getAttr()].push_back(read);
  llvm::MapVector<Value, StringAttr> updates;
  for (auto assign : role.getOps<ir::AssignOp>()) {
    auto rules = assign.getValue().getDefiningOp<ir::CutsetOpInterface>();
    const auto number = rules ? cast<OpResult>(assign.getValue()).getResultNumber() : 0;
    if (!rules || static_cast<int>(number) >= rules.op_info().updates) continue;
    const StringAttr name = assign.getVariableAttr().getAttr();
    auto replaced = rules->getOperand(number).getDefiningOp<ir::ReadOp>();
    if (!replaced || replaced.getVariableAttr().getAttr() != name) continue;
    const bool alone = llvm::all_of(reads[name], [&](ir::ReadOp read) {
      return llvm::all_of(read->getUses(), [&](OpOperand& use) {
        return use.getOwner() == rules && use.getOperandNumber() == number;
      });
    });
    if (alone) updates[assign.getValue()] = name;
  }
  return updates;
}

bool may_overwrite(ir::CallOp call, unsigned argument) {
  return llvm::all_of(call.getArguments()[argument].getUsers(), [&](Operation* user) {
    return user == call || (isa<ir::CallOp>(user) && user->isBeforeInBlock(call));
  });
}

}  // namespace cutset::passes
