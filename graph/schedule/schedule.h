// SPDX-License-Identifier: Apache-2.0
// A schedule of a pipeline: the order of the actions of each device in one step.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cutset {

// `kBackward` is the whole backward pass of a micro-batch. `kBackwardInput` and `kBackwardWeight` are its two
// parts.
enum class ActionKind : uint8_t { kForward, kBackward, kBackwardInput, kBackwardWeight };

struct Action {
  ActionKind kind = ActionKind::kForward;
  int32_t stage = 0;
  int32_t micro_batch = 0;
  bool operator==(const Action&) const = default;
};

struct Schedule {
  std::vector<std::vector<Action>> devices;  // devices[d]: the actions of device d, in their order
  // Returns the number of actions of all devices.
  size_t actions() const;
  bool operator==(const Schedule&) const = default;
};

// Returns the word of a kind in texts: forward, backward, backward_input or backward_weight.
const char* name_of(ActionKind kind);
// Returns the action as text for an error message: "forward of stage 1, micro-batch 3".
std::string describe(const Action& action);

}  // namespace cutset
