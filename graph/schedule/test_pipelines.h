// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of graph/schedule: pipelines of equal stages, and the simulation of a generated
// schedule.
#pragma once
#include <string>
#include <utility>

#include "graph/schedule/check_schedule.h"
#include "graph/schedule/generators.h"
#include "graph/schedule/instance.h"
#include "graph/schedule/simulate.h"

namespace cutset {

// Returns p equal stages, one per device, and m micro-batches of size 1. Every link takes `link` seconds.
inline PipelineInstance equal_stages(int64_t p, int64_t m, double forward, double input, double weight,
                                     double link = 0, int64_t chunks = 1) {
  PipelineInstance instance;
  for (int64_t s = 0; s < p; ++s) instance.pipeline.stages.push_back({s, forward, input, weight, 0, 1000});
  instance.pipeline.links.assign(static_cast<size_t>(p - 1), link);
  instance.pipeline.micro_batches.assign(static_cast<size_t>(m), 1);
  instance.chunks = chunks;
  instance.wrap = link;
  return instance;
}

// A schedule with its pipeline, after it has been checked and simulated.
struct Simulated {
  PipelineCosts pipeline;
  Schedule schedule;
  CheckedSchedule checked;
  Simulation simulation;

  double makespan_bubble() const { return simulation.bubble(simulation.makespan); }
  double span_bubble() const { return simulation.bubble(simulation.longest_span); }
};

// Generates, checks and simulates a schedule. A failure ends the process with its error message.
inline Simulated run_schedule(const PipelineInstance& instance, const std::string& name) {
  InstanceSchedule made = *schedule_instance(instance, name);
  CheckedSchedule checked = *check_schedule(made.pipeline, made.schedule);
  Simulation simulation = simulate(made.pipeline, made.schedule, checked.order);
  return {std::move(made.pipeline), std::move(made.schedule), std::move(checked), std::move(simulation)};
}

}  // namespace cutset
