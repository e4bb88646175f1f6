// SPDX-License-Identifier: Apache-2.0
// Tells forward ops from backward ops.
//
// A forward op contributes to a result of the function that is not a gradient. `shard` copies every op for
// the devices of a tensor axis, and a result may need a forward op on one device only. Backward ops read its
// copies and the forms of its value on the other devices. `shard` marks all of them (kForward). A marked op
// is a forward op if another stage reads its result: otherwise a backward action would compute the result,
// and the stage that reads it would wait for the backward pass of an earlier stage. A marked op is a backward
// op if only backward ops of its stage read it, so that no micro-batch keeps its result.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// Returns the ops on which the results of the function depend, gradients included. Complexity: O(ops +
// operands).
llvm::DenseSet<mlir::Operation*> needed_by_results(mlir::func::FuncOp function);
// Returns the forward ops. Without devices, before `place`, there is one stage. Complexity: O(ops +
// operands).
llvm::DenseSet<mlir::Operation*> forward_ops(mlir::func::FuncOp function);
// Marks the forward ops of a function that is going to be copied. Complexity: O(ops + operands).
void mark_forward_ops(mlir::func::FuncOp function);
// Returns the forward ops of micro-batches on whose results backward ops depend. If one stage had all ops and
// recomputed its activations, it would compute these ops again. Complexity: O(ops + operands).
llvm::DenseSet<mlir::Operation*> needed_by_backward_ops(mlir::func::FuncOp function);

}  // namespace cutset::passes
