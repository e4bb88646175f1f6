// Tells forward ops from backward ops.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// The ops on which the results of the function depend, with or without those results that are gradients. Without them, these
// are the forward ops. Complexity: O(ops + operands).
llvm::DenseSet<mlir::Operation*> needed_by_results(mlir::func::FuncOp function, bool gradients);

}  // namespace cutset::passes
