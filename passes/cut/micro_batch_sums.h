// Adds the partial sums of the micro-batches of one device while its schedule is emitted.
//
// All sums of a function are added together: after each micro-batch, a call of one role adds all its partial sums, each
// in the memory of the sum. graph/addition_order.h says when.
#pragma once
#include <functional>

#include "graph/addition_order.h"
#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

class MicroBatchSums {
 public:
  // `fresh` returns a free name of a role.
  MicroBatchSums(mlir::func::FuncOp function, std::function<std::string(const char*)> fresh);

  // Adds a sum. All sums must be of the same device, and must be added before the first micro-batch.
  void include(ir::SumMicroBatchesOp sum) { sums_.push_back(sum); }

  // Emits the additions that are due after the next micro-batch. `here` returns the value of a partial sum of this
  // micro-batch. Fails if the sum of a type cannot be computed.
  mlir::LogicalResult add(mlir::OpBuilder& at, int64_t shard_class, llvm::function_ref<mlir::Value(mlir::Value)> here);
  // Returns the sums with their totals. All micro-batches must have been added.
  llvm::SmallVector<std::pair<ir::SumMicroBatchesOp, mlir::Value>> totals() const;

 private:
  mlir::LogicalResult make_role(mlir::StringAttr device);

  mlir::func::FuncOp function_;
  llvm::SmallVector<ir::SumMicroBatchesOp> sums_;
  std::function<std::string(const char*)> fresh_;
  mlir::func::FuncOp role_;  // null until the first addition
  AdditionOrder order_;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> stack_;  // sums of consecutive micro-batches
};

}  // namespace cutset::passes
