// SPDX-License-Identifier: Apache-2.0
// The order in which a device computes the micro-batches of a round.
#pragma once
#include "passes/cut/roles/partition.h"
#include "passes/support/placement/pipeline_schedules.h"

namespace cutset::passes {

// The roles of one kind and one stage for one micro-batch.
struct MicroBatchAction {
  RoleKind kind = RoleKind::kMicroBatch;
  int64_t stage = 0;  // 0 if the device has one stage
  int64_t shard = 0;
};

// Returns the actions of `device` for the micro-batches of its replica, and none if the replica has no
// micro-batches.
// - In a pipeline of several stages, the devices of a tensor axis have the same actions.
// - Without a schedule, the micro-batches are computed one after the other.
// - If the backward pass of the function is divided (`divided`), an action of the whole backward pass becomes
//   its two parts.
// Fails with a diagnostic if there is no such schedule.
mlir::FailureOr<std::vector<MicroBatchAction>> micro_batch_order(mlir::func::FuncOp function,
                                                                 PipelineSchedules& schedules, bool divided,
                                                                 mlir::StringAttr device);

}  // namespace cutset::passes
