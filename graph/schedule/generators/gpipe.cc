// SPDX-License-Identifier: Apache-2.0
// GPipe: every device runs all forward actions and then all backward actions.
//
// Source: Huang et al., "GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism",
//   NeurIPS 2019, section 2.2. The paper runs the backward actions from the last micro-batch to the first.
//   Here they run in ascending order, which sums over micro-batches need; the step takes the same time.
//   Figures for equal stages and links without latency: bubble (p - 1) / (m + p - 1), which is the least that
//   is possible with undivided backward actions and one stage per device; m frames per stage.
#include "graph/schedule/generators.h"

namespace cutset {
namespace {

Schedule generate(const ScheduleShape& shape) {
  Schedule schedule;
  const auto m = static_cast<int32_t>(shape.micro_batches);
  for (int32_t s = 0; s < shape.devices; ++s)
    schedule.devices.push_back(in_turns(s, m, {{ActionKind::kForward, 0}, {ActionKind::kBackward, m}}));
  return schedule;
}

const RegisterScheduleGenerator registered({"gpipe", "all forward actions, then all backward actions", 1, 1,
                                            generate});

}  // namespace
}  // namespace cutset
