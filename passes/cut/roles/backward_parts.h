// SPDX-License-Identifier: Apache-2.0
// The two parts into which a schedule may divide the backward pass of a stage.
//
// Problem: other stages wait only for the values that a stage sends. Divide the backward ops so that
//   everything else can run later.
// Method: an op belongs to the input part if another stage reads a value that depends on it, in the same
//   micro-batch. Sums over micro-batches do not count, because they are added when all micro-batches have
//   run. One pass over the ops, from the last one to the first one, finds these ops.
// Complexity: O(ops + operands). Failure: none.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// Returns the ops of micro-batches, forward ops included, on which the values that leave a stage depend
// within a round. `rounds`: the rounds of the ops (rounds.h).
llvm::DenseSet<mlir::Operation*> ops_that_leave_their_stage(
    mlir::func::FuncOp function, const llvm::DenseMap<mlir::Operation*, int>& rounds);

}  // namespace cutset::passes
