// The order in which a device computes the micro-batches of a phase.
#pragma once
#include "passes/cut/partition.h"

namespace cutset::passes {

// The roles of one kind for one micro-batch.
struct MicroBatchAction {
  RoleKind kind = RoleKind::kMicroBatch;
  int64_t shard = 0;
};

// Returns the actions of `device` in a function with micro-batches. In a pipeline of several stages, the function names
// its schedule, and the module's devices are the stages. Otherwise the micro-batches are computed one after the other.
// Fails with a diagnostic if there is no such schedule.
mlir::FailureOr<std::vector<MicroBatchAction>> micro_batch_order(mlir::func::FuncOp function, mlir::StringAttr device);

}  // namespace cutset::passes
