// SPDX-License-Identifier: Apache-2.0
#include "passes/emit/instruction_maker.h"

#include "ir/dialect/dialect.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

func::FuncOp InstructionMaker::role_that_computes(Value value) const {
  Operation* definer = value.getDefiningOp();
  if (auto unpack = dyn_cast_or_null<ir::UnpackOp>(definer)) definer = unpack.getFrame().getDefiningOp();
  auto call = dyn_cast_or_null<ir::CallOp>(definer);
  return call ? roles_.lookup<func::FuncOp>(call.getRoleAttr().getAttr()) : func::FuncOp();
}

func::FuncOp InstructionMaker::role_that_reads(Operation* action) const {
  ir::CallOp first;
  func::FuncOp role, check;
  for (Operation* user : action->getUsers()) {
    auto call = dyn_cast<ir::CallOp>(user);
    if (!call || (first && !call->isBeforeInBlock(first))) continue;
    auto called = roles_.lookup<func::FuncOp>(call.getRoleAttr().getAttr());
    if (called->getAttrOfType<StringAttr>(kRole).getValue() == "check") {
      check = called;  // reads all gradients before the updates do
    } else {
      first = call;
      role = called;
    }
  }
  return role ? role : check;
}

func::FuncOp InstructionMaker::role_of(Operation* op) const {
  auto parent = dyn_cast<func::FuncOp>(op->getParentOp());
  if (parent && parent->hasAttr(kRole)) return parent;
  if (auto call = dyn_cast<ir::CallOp>(op)) return roles_.lookup<func::FuncOp>(call.getRoleAttr().getAttr());
  return op->getNumResults() > 0    ? role_that_reads(op)
         : op->getNumOperands() > 0 ? role_that_computes(op->getOperand(0))
                                    : func::FuncOp();
}

int32_t InstructionMaker::stage_of(func::FuncOp role) {
  const auto [stage, fresh] = stage_of_role_.try_emplace(role, kNone);
  if (fresh) stage->second = static_cast<int32_t>(stages_.of_role(role));
  return stage->second;
}

Instruction InstructionMaker::make(Command command, Operation* op) {
  func::FuncOp role = role_of(op);
  const auto kind = role ? role->getAttrOfType<StringAttr>(kRole) : StringAttr();
  const int32_t stage = role ? stage_of(role) : kNone;
  const auto [names, first] =
      names_.try_emplace({op->getLoc().getAsOpaquePointer(), op->getName().getAsOpaquePointer(),
                          kind.getAsOpaquePointer(), stage});
  if (first)
    names->second = named({.op = op->getName().stripDialect().str(),
                           .layer = ir::layer_of(op->getLoc()),
                           .source = ir::source_of(op->getLoc()),
                           .role = kind ? kind.str() : "",
                           .stage = stage});
  return {std::move(command), names->second};
}

}  // namespace cutset::passes
