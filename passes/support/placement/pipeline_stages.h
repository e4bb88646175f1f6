// SPDX-License-Identifier: Apache-2.0
// Numbers the stages of the pipeline of a function, for drawings and traces.
//
// A pipeline of `positions` devices with `chunks` stages per device has positions * chunks stages. Stage s
// runs at position s modulo `positions`.
#pragma once
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

class PipelineStages {
 public:
  // `function` may be null or a declaration. Its attributes say whether it has a pipeline.
  explicit PipelineStages(mlir::func::FuncOp function);

  // Returns the number of stages; 0: the function has no pipeline.
  int64_t count() const { return positions_ * chunks_; }
  // Returns the stages of a device in ascending order; the list is empty if the device has no stage.
  llvm::SmallVector<int64_t, 1> of(llvm::StringRef device) const;
  // Returns the stage of an op that runs on `device`, or -1. An op for the whole batch, such as an update,
  // has no stage if its device has several.
  int64_t of(mlir::Operation* op, llvm::StringRef device) const;
  // Returns the stage of the ops of a role, or -1.
  int64_t of_role(mlir::func::FuncOp role) const;

 private:
  int64_t positions_ = 0, chunks_ = 1;
  llvm::StringMap<int64_t> position_of_;  // by the name of a device
};

}  // namespace cutset::passes
