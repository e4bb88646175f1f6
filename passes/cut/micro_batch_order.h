// The order in which a device computes the micro-batches of a phase.
#pragma once
#include "passes/cut/partition.h"

namespace cutset::passes {

// The roles of one kind and one stage for one micro-batch.
struct MicroBatchAction {
  RoleKind kind = RoleKind::kMicroBatch;
  int64_t stage = 0;  // 0 if the device has one stage
  int64_t shard = 0;
};

// Returns the actions of `device` in a function with micro-batches, which are those of its replica. The module's devices
// are a grid (graph/device_grid.h). In a pipeline of several stages, the function names its schedule, and the stages are dealt
// out to the positions in turn. The devices of a tensor axis have the same actions. Otherwise the micro-batches are computed one after the other. Fails with a
// diagnostic if there is no such schedule.
mlir::FailureOr<std::vector<MicroBatchAction>> micro_batch_order(mlir::func::FuncOp function, mlir::StringAttr device);

}  // namespace cutset::passes
