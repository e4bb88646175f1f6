// SPDX-License-Identifier: Apache-2.0
// ZB-H1: 1F1B with a backward pass in two parts. The weight part fills the idle time at the end of the step.
//
// Source: Qi et al., "Zero Bubble Pipeline Parallelism", arXiv 2401.10241, 2023, section 2 ("ZB-H1"). Stage
//   s delays the weight part by s micro-batches, so that it holds p - s micro-batches between forward and the
//   input part, as in 1F1B, and s between the two parts: at most min(m, p) frames. Figures for equal stages
//   and links without latency: idle time (p - 1)(F + B - W) for W <= F, and (p - 1) B otherwise. It is
//   measured from the first start to the last end of a device. F, B and W are the times of the three actions.
#include <algorithm>

#include "graph/schedule/generators.h"

namespace cutset {
namespace {

Schedule generate(const ScheduleShape& shape) {
  Schedule schedule;
  const auto m = static_cast<int32_t>(shape.micro_batches), p = static_cast<int32_t>(shape.devices);
  for (int32_t s = 0; s < p; ++s) {
    const int32_t warm_up = std::min(m, p - 1 - s), delay = std::min(m, s);
    schedule.devices.push_back(in_turns(s, m,
                                        {{ActionKind::kForward, 0},
                                         {ActionKind::kBackwardInput, warm_up},
                                         {ActionKind::kBackwardWeight, warm_up + delay}}));
  }
  return schedule;
}

const RegisterScheduleGenerator registered({"zb-h1", "1f1b with delayed weight parts of the backward pass", 1,
                                            1, generate});

}  // namespace
}  // namespace cutset
