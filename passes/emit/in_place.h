// SPDX-License-Identifier: Apache-2.0
// Decides which updates of a role may overwrite the variables that they replace, and which calls may
// overwrite their arguments.
#pragma once
#include "ir/structural/structural.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// Returns the new values that may be written to the memory of their variables, with the names of the
// variables. Such a value is computed by an op that reads the variable as the operand that the value
// overwrites, and nothing else in the role reads the variable. All other new values are copied to their
// variables.
llvm::MapVector<mlir::Value, mlir::StringAttr> updates_in_place(mlir::func::FuncOp role);

// Returns whether the call may overwrite its argument: nothing but earlier calls reads the value. A send, an
// output or an all-reduce runs in another queue, so it may read the value after a later call.
bool may_overwrite(ir::CallOp call, unsigned argument);

}  // namespace cutset::passes
