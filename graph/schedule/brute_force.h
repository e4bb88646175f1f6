// SPDX-License-Identifier: Apache-2.0
// Tries all schedules of a small pipeline, for tests of optimality.
#pragma once
#include <limits>
#include <vector>

#include "graph/schedule/check_schedule.h"
#include "graph/schedule/simulate.h"

namespace cutset {

// Appends to `lists` every order of the forward and the undivided backward actions of a stage in which each
// backward action comes after the forward action of its micro-batch.
inline void all_orders(int32_t stage, int32_t micro_batches, std::vector<int>& state,
                       std::vector<Action>& order, std::vector<std::vector<Action>>& lists) {
  if (order.size() == 2 * static_cast<size_t>(micro_batches)) lists.push_back(order);
  for (int32_t k = 0; k < micro_batches; ++k) {
    int& done = state[static_cast<size_t>(k)];
    if (done == 2) continue;
    order.push_back({done == 0 ? ActionKind::kForward : ActionKind::kBackward, stage, k});
    ++done;
    all_orders(stage, micro_batches, state, order, lists);
    --done;
    order.pop_back();
  }
}

// Returns the shortest makespan of all schedules with undivided backward actions. Every device must have one
// stage.
inline double shortest_makespan(const PipelineCosts& pipeline) {
  const size_t stages = pipeline.stages.size();
  std::vector<std::vector<std::vector<Action>>> orders(stages);
  for (size_t s = 0; s < stages; ++s) {
    std::vector<int> state(pipeline.micro_batches.size(), 0);
    std::vector<Action> order;
    all_orders(static_cast<int32_t>(s), static_cast<int32_t>(state.size()), state, order, orders[s]);
  }
  double best = std::numeric_limits<double>::infinity();
  std::vector<size_t> choice(stages, 0);
  for (;;) {
    Schedule schedule;
    for (size_t s = 0; s < stages; ++s) schedule.devices.push_back(orders[s][choice[s]]);
    if (const auto checked = check_schedule(pipeline, schedule); checked.ok())
      best = std::min(best, simulate(pipeline, schedule, checked->order).makespan);
    size_t s = 0;
    while (s < stages && ++choice[s] == orders[s].size()) choice[s++] = 0;
    if (s == stages) return best;
  }
}

}  // namespace cutset
