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
}  // namespace cutset::ir

#define GET_OP_CLASSES
#include "ir/structural/structural.h.inc"
