// Constants, variables and distribution: the ops that passes make and read by name.
#pragma once
#include "ir/dialect/dialect.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace cutset::ir {
// What `assign` writes; `read` means the value before the step and so depends on nothing.
struct Variables : mlir::SideEffects::Resource::Base<Variables> {
  llvm::StringRef getName() final { return "Variables"; }
};
void registerStructural(mlir::Dialect& dialect);

mlir::LogicalResult verifyTensors(mlir::Operation* op);
template <class ConcreteOp>
struct OurTensors : mlir::OpTrait::TraitBase<ConcreteOp, OurTensors> {
  static mlir::LogicalResult verifyTrait(mlir::Operation* op) { return verifyTensors(op); }
};
}  // namespace cutset::ir

#define GET_OP_CLASSES
#include "ir/structural/structural.h.inc"
