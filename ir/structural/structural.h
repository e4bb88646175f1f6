// The structural ops that no kernel runs: constants, variables, and the ops of a partitioned program. Passes build them
// and read them by name. ir/structural/structural.td describes them.
#pragma once
#include "ir/dialect/dialect.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace cutset::ir {
// The memory that `assign` writes. `read` returns the value before the step, whatever is assigned in the step, and
// therefore has no side effect.
struct Variables : mlir::SideEffects::Resource::Base<Variables> {
  llvm::StringRef getName() final { return "Variables"; }
};
// Registers the ops of this file with the dialect.
void register_structural(mlir::Dialect& dialect);

// Fails if an operand or result is not a tensor that ir/core has a type for.
mlir::LogicalResult verify_tensors(mlir::Operation* op);
// The op trait that verifies this.
template <class ConcreteOp>
struct OurTensors : mlir::OpTrait::TraitBase<ConcreteOp, OurTensors> {
  static mlir::LogicalResult verifyTrait(mlir::Operation* op) { return verify_tensors(op); }
};
}  // namespace cutset::ir

#define GET_OP_CLASSES
#include "ir/structural/structural.h.inc"
