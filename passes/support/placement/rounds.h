// SPDX-License-Identifier: Apache-2.0
// The rounds of a step with micro-batches.
//
// Problem: an op of every micro-batch may need a sum over all micro-batches, such as the number of unmasked
//   samples or the mean of a batch normalization. Divide the ops into rounds so that each round can run for
//   one micro-batch after the other. All values that cross from one round to the next are kept for all
//   micro-batches, so few values should cross.
// Method: whole ops have even rounds, and ops of micro-batches have odd rounds. Two passes over the graph
//   give the earliest and then the latest round of each op. An op is in its latest round. Forward ops are
//   therefore in the round of the backward ops, except if the backward ops need a sum that depends on them.
// Complexity: O(ops + operands). Failure: none.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// Returns the round of every op of a function that `split` has divided. All rounds are 0 without
// micro-batches.
llvm::DenseMap<mlir::Operation*, int> rounds_of(mlir::func::FuncOp function);

// A micro-batch of a function.
struct MicroBatch {
  int64_t shard = 0;        // its number
  int64_t replica = 0;      // the replica that computes it
  int64_t shard_class = 0;  // its class
  int64_t start = 0;        // its first sample
  int64_t later = 0;        // its shard minus the shard of the first micro-batch of its class
  int64_t nth = 0;          // its index among the micro-batches of its class
};
// Returns the micro-batches in their order; none if the function has none.
llvm::SmallVector<MicroBatch> micro_batches_of(mlir::func::FuncOp function);
// Returns the stage of an op of a micro-batch; 0 if its device has one stage.
int64_t stage_of(mlir::Operation* op);
// Returns the class of the micro-batches to which a value of the function belongs; -1: it belongs to none.
int64_t class_of(mlir::func::FuncOp function, mlir::Value value);

}  // namespace cutset::passes
