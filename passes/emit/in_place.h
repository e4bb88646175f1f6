// Decides which updates of a role may overwrite the variables that they replace.
#pragma once
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// Returns the new values that may be written to the memory of their variables, with the names of the variables. Such
// a value is computed by an op that reads the variable as the operand that the value overwrites, and nothing else in
// the role reads the variable. All other new values are copied to their variables.
llvm::MapVector<mlir::Value, mlir::StringAttr> updates_in_place(mlir::func::FuncOp role);

}  // namespace cutset::passes
