// SPDX-License-Identifier: Apache-2.0
#include "passes/support/placement/pipeline_stages.h"

#include "passes/passes.h"
#include "passes/support/placement/pipeline_schedules.h"

using namespace mlir;

namespace cutset::passes {

PipelineStages::PipelineStages(func::FuncOp function) {
  if (!function || !function->hasAttr(kSchedule)) return;
  const auto devices = function->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(kDevices);
  if (!devices || devices.empty()) return;  // `place` has not run
  const auto grid = PipelineSchedules(function).grid();
  if (failed(grid)) return;
  positions_ = static_cast<int64_t>(grid->per_copy());
  if (auto divided = function->getAttrOfType<IntegerAttr>(kChunks)) chunks_ = divided.getInt();
  for (auto [number, device] : llvm::enumerate(devices.getAsRange<StringAttr>()))
    position_of_[device.getValue()] = static_cast<int64_t>(grid->position_of(number));
}

SmallVector<int64_t, 1> PipelineStages::of(StringRef device) const {
  SmallVector<int64_t, 1> stages;
  const auto position = position_of_.find(device);
  for (int64_t chunk = 0; position != position_of_.end() && chunk < chunks_; ++chunk)
    stages.push_back(chunk * positions_ + position->second);
  return stages;
}

int64_t PipelineStages::of(Operation* op, StringRef device) const {
  if (auto stage = op->getAttrOfType<IntegerAttr>(kStage)) return stage.getInt();
  const auto position = position_of_.find(device);
  return chunks_ == 1 && position != position_of_.end() ? position->second : -1;
}

int64_t PipelineStages::of_role(func::FuncOp role) const {
  Operation* staged = role;
  if (chunks_ > 1)
    for (Operation& op : role.getBody().front())  // reads of variables have no stage
      if (op.hasAttr(kStage)) {
        staged = &op;
        break;
      }
  return of(staged, role->getAttrOfType<StringAttr>(kDevice).getValue());
}

}  // namespace cutset::passes
