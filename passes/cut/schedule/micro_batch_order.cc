// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/schedule/micro_batch_order.h"

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// Returns the kinds of the roles that an action runs, in their order.
SmallVector<RoleKind, 2> kinds_of(ActionKind kind, bool divided) {
  switch (kind) {
    case ActionKind::kForward:
      return {RoleKind::kForward};
    case ActionKind::kBackward:
      if (divided) return {RoleKind::kBackwardInput, RoleKind::kBackwardWeight};
      return {RoleKind::kBackward};
    case ActionKind::kBackwardInput:
      return {RoleKind::kBackwardInput};
    case ActionKind::kBackwardWeight:
      return {RoleKind::kBackwardWeight};
  }
  llvm_unreachable("not a kind of actions");
}

}  // namespace

FailureOr<std::vector<MicroBatchAction>> micro_batch_order(func::FuncOp function,
                                                           PipelineSchedules& schedules, bool divided,
                                                           StringAttr device) {
  const auto number = schedules.number_of(device);
  if (failed(number)) return failure();
  const auto grid = schedules.grid();
  if (failed(grid)) return failure();
  auto chunks = function->getAttrOfType<IntegerAttr>(kChunks);
  const auto [first, count] = schedules.micro_batches_of(grid->replica_of(grid->copy_of(*number)));
  std::vector<MicroBatchAction> order;
  if (!schedules.any() || count == 0) {
    for (int64_t i = 0; i < count; ++i) order.push_back({RoleKind::kMicroBatch, 0, first + i});
    return order;
  }
  const auto schedule = schedules.of(count);
  if (failed(schedule)) return failure();
  for (const Action& action : (*schedule)->devices[grid->position_of(*number)])
    for (const RoleKind kind : kinds_of(action.kind, divided))
      order.push_back({kind, chunks ? action.stage : 0, first + action.micro_batch});
  return order;
}

}  // namespace cutset::passes
