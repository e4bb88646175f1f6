// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/action_index.h"

#include <string>

namespace cutset {
namespace {

// Returns the cell of an action of this kind: 0 for forward, 1 for backward or its input part, 2 for the
// weight part.
int part_of(ActionKind kind) {
  if (kind == ActionKind::kForward) return 0;
  return kind == ActionKind::kBackwardWeight ? 2 : 1;
}

constexpr const char* kOnce =
    "every stage runs forward and backward once per micro-batch, or backward_input and backward_weight "
    "instead of backward";

}  // namespace

Result<ActionIndex> ActionIndex::build(const PipelineCosts& pipeline, const Schedule& schedule) {
  const auto devices = static_cast<size_t>(pipeline.devices());
  if (schedule.devices.size() != devices)
    return invalid_data("the schedule has " + std::to_string(schedule.devices.size()) +
                            " devices; the pipeline has " + std::to_string(devices),
                        "list the actions of each device of the pipeline");
  ActionIndex index(pipeline, schedule);
  index.indices_.assign(pipeline.stages.size() * pipeline.micro_batches.size() * 3, -1);
  for (size_t d = 0; d < devices; ++d)
    for (size_t i = 0; i < schedule.devices[d].size(); ++i)
      CUTSET_TRY(index.add(static_cast<int64_t>(d), static_cast<int64_t>(i), schedule.devices[d][i]));
  CUTSET_TRY(index.complete());
  return index;
}

Status ActionIndex::add(int64_t device, int64_t index, const Action& action) {
  const std::string where = pipeline_->name_of_device(device) + ", action " + std::to_string(index) + ": ";
  const auto stages = static_cast<int64_t>(pipeline_->stages.size());
  const auto sizes = static_cast<int64_t>(pipeline_->micro_batches.size());
  if (action.stage < 0 || action.stage >= stages)
    return invalid_data(where + "stage " + std::to_string(action.stage) +
                            " is out of range; the pipeline has " + std::to_string(stages) + " stages",
                        kOnce);
  if (action.micro_batch < 0 || action.micro_batch >= sizes)
    return invalid_data(where + "micro-batch " + std::to_string(action.micro_batch) +
                            " is out of range; the pipeline has " + std::to_string(sizes) + " micro-batches",
                        kOnce);
  const int64_t home = pipeline_->stages[static_cast<size_t>(action.stage)].device;
  if (home != device)
    return invalid_data(
        where + describe(action) + ", is listed, but the stage is on " + pipeline_->name_of_device(home),
        "move the action to the list of that device");
  int32_t& found = indices_[cell(action.stage, action.micro_batch, part_of(action.kind))];
  if (found >= 0)
    return invalid_data(where + describe(action) + ", comes after action " + std::to_string(found) + ", " +
                            describe(at({device, found})) + ", which computes the same",
                        kOnce);
  found = static_cast<int32_t>(index);
  return {};
}

Status ActionIndex::complete() const {
  auto missing = [&](ActionKind kind, size_t stage, size_t micro_batch) {
    return invalid_data(describe({kind, static_cast<int32_t>(stage), static_cast<int32_t>(micro_batch)}) +
                            ", is missing on " + pipeline_->name_of_device(pipeline_->stages[stage].device),
                        kOnce);
  };
  for (size_t s = 0; s < pipeline_->stages.size(); ++s)
    for (size_t k = 0; k < pipeline_->micro_batches.size(); ++k) {
      const auto stage = static_cast<int64_t>(s), micro_batch = static_cast<int64_t>(k);
      const bool weight = indices_[cell(stage, micro_batch, 2)] >= 0;
      if (indices_[cell(stage, micro_batch, 0)] < 0) return missing(ActionKind::kForward, s, k);
      if (indices_[cell(stage, micro_batch, 1)] < 0)
        return missing(weight ? ActionKind::kBackwardInput : ActionKind::kBackward, s, k);
      const Action& backward = at(gradient(stage, micro_batch));
      if (backward.kind == ActionKind::kBackwardInput && !weight)
        return missing(ActionKind::kBackwardWeight, s, k);
      if (backward.kind == ActionKind::kBackward && weight)
        return invalid_data(pipeline_->name_of_device(pipeline_->stages[s].device) + ": " +
                                describe(at(find(stage, micro_batch, 2))) + ", is listed beside " +
                                describe(backward) + ", which contains it",
                            kOnce);
    }
  return {};
}

ActionPosition ActionIndex::last(int64_t stage, int64_t micro_batch) const {
  const ActionPosition gradient_part = gradient(stage, micro_batch);
  return at(gradient_part).kind == ActionKind::kBackward ? gradient_part : find(stage, micro_batch, 2);
}

ActionIndex::Uses ActionIndex::uses(const Action& action) const {
  Uses uses;
  const int64_t s = action.stage, k = action.micro_batch;
  if (action.kind == ActionKind::kForward) {
    if (s > 0) uses.actions[uses.count++] = forward(s - 1, k);
  } else if (action.kind == ActionKind::kBackwardWeight) {
    uses.actions[uses.count++] = gradient(s, k);
  } else {
    uses.actions[uses.count++] = forward(s, k);
    if (s + 1 < static_cast<int64_t>(pipeline_->stages.size()))
      uses.actions[uses.count++] = gradient(s + 1, k);
  }
  return uses;
}

}  // namespace cutset
