// SPDX-License-Identifier: Apache-2.0
// The structural ops that no kernel runs: constants, variables, and the ops of a partitioned program. Passes
// build them and read them by name. ir/structural/structural.td describes them.
#pragma once
#include "ir/dialect/dialect.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace cutset::ir {
// The memory that `assign` writes. `read` always returns the value before the step, so it has no side effect.
struct Variables : mlir::SideEffects::Resource::Base<Variables> {
  llvm::StringRef getName() final { return "Variables"; }
};
// Registers the ops of this file with the dialect.
void register_structural(mlir::Dialect& dialect);

// An element of a frame: a tuple of tensors, or one tensor, which has element 0.
struct FrameElement {
  mlir::Value frame;
  unsigned element = 0;
};
// Returns the types of the elements of values, in order. Each value is a frame or one tensor.
llvm::SmallVector<mlir::Type> element_types(mlir::TypeRange types);
// Returns the number of elements of a frame, or 1 for one tensor.
unsigned number_of_elements(mlir::Type type);

// Fails if an operand or result, or an element of a frame, is not a tensor for which ir/core has a type.
mlir::LogicalResult verify_tensors(mlir::Operation* op);
// The op trait that calls verify_tensors.
template <class ConcreteOp>
struct OurTensors : mlir::OpTrait::TraitBase<ConcreteOp, OurTensors> {
  static mlir::LogicalResult verifyTrait(mlir::Operation* op) { return verify_tensors(op); }
};
}  // namespace cutset::ir

#define GET_OP_CLASSES
#include "ir/structural/structural.h.inc"
