// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/schedule.h"

namespace cutset {

size_t Schedule::actions() const {
  size_t count = 0;
  for (const std::vector<Action>& list : devices) count += list.size();
  return count;
}

const char* name_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::kForward:
      return "forward";
    case ActionKind::kBackward:
      return "backward";
    case ActionKind::kBackwardInput:
      return "backward_input";
    case ActionKind::kBackwardWeight:
      return "backward_weight";
  }
  return "";
}

std::string describe(const Action& action) {
  return std::string(name_of(action.kind)) + " of stage " + std::to_string(action.stage) + ", micro-batch " +
         std::to_string(action.micro_batch);
}

}  // namespace cutset
