// SPDX-License-Identifier: Apache-2.0
// Prepares a function for `cut`.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// Checks that all arguments and results have names, because the host identifies inputs and outputs by name,
// and that the classes of micro-batches are consistent. Then replaces the operands that are read only for
// their types by cutset.type_only, and erases ops that have become dead. Fails with a diagnostic.
mlir::LogicalResult prepare_for_cut(mlir::func::FuncOp function);

}  // namespace cutset::passes
