// SPDX-License-Identifier: Apache-2.0
// An instance of the scheduling problem: a pipeline, and which schedules are wanted for it.
#pragma once
#include <string>
#include <vector>

#include "graph/schedule/pipeline.h"
#include "graph/schedule/schedule.h"
#include "ir/core/result.h"

namespace cutset {

struct PipelineInstance {
  PipelineCosts pipeline;  // has one link between each two consecutive stages
  int64_t chunks = 1;      // schedules with several stages per device divide each stage into this number
  double wrap = 0;         // seconds of a transfer from the last device to the first one
  std::vector<std::string> schedules;  // names of generators; empty: all that fit the pipeline
};

// A schedule with its pipeline: the pipeline of the instance, or the same pipeline with divided stages.
struct InstanceSchedule {
  PipelineCosts pipeline;
  Schedule schedule;
};
// Generates the schedule `name` for an instance. Fails if the stages are not on the devices that generators
// assume.
Result<InstanceSchedule> schedule_instance(const PipelineInstance& instance, const std::string& name);

// Returns the names of the schedules of an instance: the names that it lists, or else all schedules that take
// its number of chunks.
std::vector<std::string> schedules_of(const PipelineInstance& instance);

}  // namespace cutset
