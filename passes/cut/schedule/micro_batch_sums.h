// SPDX-License-Identifier: Apache-2.0
// Adds the partial sums of the micro-batches of one device while its schedule is emitted.
//
// After each micro-batch, one call of a role adds the partial sums of this micro-batch to all sums over the
// same range of micro-batches. A sum is computed in place. Sums whose partial sums are a frame
// (passes/cut/roles/frames.h) are passed as one value. graph/partition/addition_order.h defines the order of
// the additions. The micro-batches of a replica are one range, except if sums are added along the tree and
// the shards of the replica are not one node of the tree: then they are several ranges.
#pragma once
#include <functional>
#include <map>

#include "graph/partition/addition_order.h"
#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/cut/roles/frames.h"
#include "passes/support/placement/rounds.h"

namespace cutset::passes {

// Returns the classes of the micro-batches that `sum` adds, in ascending order: one per operand. `classes`:
// the class of each shard of the function.
llvm::SmallVector<int64_t> classes_of_sum(ir::SumMicroBatchesOp sum, llvm::ArrayRef<int64_t> classes);

class MicroBatchSums {
 public:
  // `fresh` returns a free name of a role. `frames`: the frames of the device, which must outlive the object.
  MicroBatchSums(mlir::func::FuncOp function, const Frames& frames,
                 std::function<std::string(const char*)> fresh);

  // Adds a sum. All sums must be of the same device, and must be added before the first micro-batch.
  void include(ir::SumMicroBatchesOp sum);

  // Emits the additions that are due after `micro_batch`. The micro-batches may come in any order. `here`
  // gets the key of a group of partial sums, and returns the value that calls pass for this group in this
  // micro-batch. Fails if the sum of a type cannot be computed.
  mlir::LogicalResult add(mlir::OpBuilder& at, const MicroBatch& micro_batch,
                          llvm::function_ref<mlir::Value(mlir::Value)> here);
  // Returns the sums with their totals, and emits the actions that take the totals from frames. All
  // micro-batches must have been added.
  llvm::SmallVector<std::pair<ir::SumMicroBatchesOp, mlir::Value>> totals(mlir::OpBuilder& at) const;

 private:
  struct SumGroup {  // sums that are passed as one value (frames.h)
    llvm::SmallVector<ir::SumMicroBatchesOp> sums;
    std::map<int64_t, mlir::Value> partials;  // class of micro-batches -> the key of its group
  };
  struct RangeSums {  // the sums over the same micro-batches
    AdditionOrder order;
    llvm::SmallVector<SumGroup> groups;
    std::map<int64_t, size_t> of_frame;  // frame of the partial sums of the first class -> index of `groups`
    mlir::func::FuncOp role;             // null until the first addition
    // first micro-batch of each sum that is kept -> its values, one per group
    std::map<int64_t, llvm::SmallVector<mlir::Value>> kept = {};
  };
  mlir::LogicalResult add(mlir::OpBuilder& at, RangeSums& range, const MicroBatch& micro_batch,
                          llvm::function_ref<mlir::Value(mlir::Value)> here);
  // Makes the role of a range, whose first call adds the sums over the shards [first, last).
  mlir::LogicalResult make_role(RangeSums& range, int64_t first, int64_t last);

  mlir::func::FuncOp function_;
  const Frames& frames_;
  std::function<std::string(const char*)> fresh_;
  std::map<std::pair<int64_t, int64_t>, RangeSums> ranges_;  // by first micro-batch and one past the last
};

}  // namespace cutset::passes
