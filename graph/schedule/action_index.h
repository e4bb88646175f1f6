// SPDX-License-Identifier: Apache-2.0
// Finds the actions of a schedule by their stage, micro-batch and part.
#pragma once
#include <cstdint>
#include <vector>

#include "graph/schedule/pipeline.h"
#include "graph/schedule/schedule.h"
#include "ir/core/result.h"

namespace cutset {

// An action by its position in a schedule.
struct ActionPosition {
  int64_t device = 0, index = 0;
};

// The index of a complete schedule. It refers to the pipeline and the schedule, which must outlive it.
class ActionIndex {
 public:
  // Fails if the schedule is not complete: if a stage or a micro-batch is out of range, if a device runs an
  // action of a stage of another device, or if an action is missing or occurs twice. Complexity: O(n) for n
  // actions.
  static Result<ActionIndex> build(const PipelineCosts& pipeline, const Schedule& schedule);

  const Action& at(const ActionPosition& p) const {
    return schedule_->devices[static_cast<size_t>(p.device)][static_cast<size_t>(p.index)];
  }
  ActionPosition forward(int64_t stage, int64_t micro_batch) const { return find(stage, micro_batch, 0); }
  // Returns the backward action, or its input part if it has two parts. Its result is sent to the stage
  // before.
  ActionPosition gradient(int64_t stage, int64_t micro_batch) const { return find(stage, micro_batch, 1); }
  // Returns the last backward action: the backward action, or its weight part if it has two parts.
  ActionPosition last(int64_t stage, int64_t micro_batch) const;

  // The actions whose results `action` uses: at most one of the same stage and at most one of another stage.
  // `count` is their number.
  struct Uses {
    ActionPosition actions[2];
    int count = 0;
  };
  Uses uses(const Action& action) const;

 private:
  ActionIndex(const PipelineCosts& pipeline, const Schedule& schedule)
      : pipeline_(&pipeline), schedule_(&schedule) {}
  size_t cell(int64_t stage, int64_t micro_batch, int part) const {
    return (static_cast<size_t>(stage) * pipeline_->micro_batches.size() + static_cast<size_t>(micro_batch)) *
               3 +
           static_cast<size_t>(part);
  }
  ActionPosition find(int64_t stage, int64_t micro_batch, int part) const {
    return {pipeline_->stages[static_cast<size_t>(stage)].device, indices_[cell(stage, micro_batch, part)]};
  }
  Status add(int64_t device, int64_t index, const Action& action);
  Status complete() const;

  const PipelineCosts* pipeline_;
  const Schedule* schedule_;
  std::vector<int32_t> indices_;  // by cell: the index in the list of the stage's device; -1: no such action
};

}  // namespace cutset
