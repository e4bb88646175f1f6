// SPDX-License-Identifier: Apache-2.0
// 1F1B: after a warm-up of p - 1 - s forward actions, stage s alternates between forward and backward
// actions.
//
// Source: Narayanan et al., "PipeDream: Generalized Pipeline Parallelism for DNN Training", SOSP 2019,
//   section 3.2; the form with one update per step is "PipeDream-Flush" of Narayanan et al.,
//   "Memory-Efficient Pipeline-Parallel DNN Training", ICML 2021, section 3.2. Figures for equal stages and
//   links without latency: bubble (p - 1) / (m + p - 1), which is the least that is possible with undivided
//   backward actions and one stage per device; min(m, p - s) frames on stage s.
#include <algorithm>

#include "graph/schedule/generators.h"

namespace cutset {
namespace {

Schedule generate(const ScheduleShape& shape) {
  Schedule schedule;
  const auto m = static_cast<int32_t>(shape.micro_batches), p = static_cast<int32_t>(shape.devices);
  for (int32_t s = 0; s < p; ++s) {
    const int32_t warm_up = std::min(m, p - 1 - s);
    schedule.devices.push_back(in_turns(s, m, {{ActionKind::kForward, 0}, {ActionKind::kBackward, warm_up}}));
  }
  return schedule;
}

const RegisterScheduleGenerator registered({"1f1b", "forward and backward actions alternate after a warm-up",
                                            1, 1, generate});

}  // namespace
}  // namespace cutset
