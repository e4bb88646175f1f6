// Tells forward ops from backward ops.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// The ops on which the results of the function depend, with or without those results that are gradients. Without them, these
// are the forward ops. Complexity: O(ops + operands).
llvm::DenseSet<mlir::Operation*> needed_by_results(mlir::func::FuncOp function, bool gradients);
// The forward ops of micro-batches on whose results backward ops depend. If one stage had all ops and recomputed its activations, it
// would compute these ops again. Complexity: O(ops + operands).
llvm::DenseSet<mlir::Operation*> needed_by_backward_ops(mlir::func::FuncOp function);

}  // namespace cutset::passes
