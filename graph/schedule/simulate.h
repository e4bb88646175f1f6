// SPDX-License-Identifier: Apache-2.0
// Runs a schedule on a virtual clock.
//
// Model: a device runs its actions in their order, and each one starts as early as possible. A transfer takes
//   the seconds of its link and occupies no device; any number of transfers run at the same time. An action
//   takes the seconds of its stage, multiplied by the size of the micro-batch. When all devices have run
//   their actions, every device updates the variables of its stages, because a step is committed on all
//   devices alike. Source: Qi et al., "Zero Bubble Pipeline Parallelism", arXiv 2401.10241, 2023. With the
//   longest span as the cost of a schedule, the simulation gives the bubbles of table 5 of that paper.
#pragma once
#include <cstdint>
#include <vector>

#include "graph/schedule/check_schedule.h"
#include "graph/schedule/pipeline.h"
#include "graph/schedule/schedule.h"

namespace cutset {

struct ActionTime {
  double start = 0, end = 0;  // seconds since the start of the step
};

// What a stage holds during the step.
struct StageUse {
  // The largest number of micro-batches that are alive at the same time. A micro-batch is alive from the
  // start of forward to the end of the last backward action. A stage has this number of frames.
  int64_t frames = 0;
  int64_t input_frames =
      0;                   // the same number, if a micro-batch is alive only until the end of its input part
  double stash_bytes = 0;  // the bytes of all frames; every frame fits the largest micro-batch
  // The largest numbers of messages that were sent to the stage and are not in use yet, if no send ever
  // waits.
  int64_t forward_slots = 0, backward_slots = 0;
};

struct DeviceUse {
  double busy = 0;             // seconds in which the device runs actions
  double first = 0, last = 0;  // the start of its first action and the end of its last one
  int64_t live =
      0;  // the largest number of pairs of a stage and a micro-batch that are alive at the same time
  int64_t frames = 0;      // the sum over its stages, which is at least `live`
  double stash_bytes = 0;  // the sum over its stages
};

struct Simulation {
  std::vector<std::vector<ActionTime>> times;  // per device and action
  std::vector<StageUse> stages;
  std::vector<DeviceUse> devices;
  double makespan = 0;      // from the start of the step to the end of the last action
  double longest_span = 0;  // the largest time from the first start to the last end of one device
  double step = 0;          // the makespan and the longest update of a device

  // Returns the bubble: the average share of `cost` in which devices are idle. `cost` is a makespan or a
  // span. Returns 0 if `cost` is 0.
  double bubble(double cost) const;
};

// Simulates a step. `order` is the order that check_schedule returned for this pipeline and schedule.
// Complexity: O(n log n) for n actions. Failure: none.
Simulation simulate(const PipelineCosts& pipeline, const Schedule& schedule,
                    const std::vector<ActionPosition>& order);

}  // namespace cutset
