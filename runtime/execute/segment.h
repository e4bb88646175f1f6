// Segments: consecutive kernels and copies of a list of actions, which the device records once and then launches as one
// command. This saves the host the cost of enqueueing each of them in every step.
//
// A device gets segments if it has the table `capture` and its description asks for them (cutset_device_info). The first
// run enqueues the actions one by one, because a library may allocate memory when it runs first, which no device can
// record. The second run records them. If the device refuses, the actions are enqueued one by one, now and later.
#pragma once
#include <atomic>
#include <deque>
#include <span>
#include <vector>

#include "runtime/execute/action.h"

namespace cutset {

// The thread of one queue runs a segment. Any thread may read `capture`.
struct Segment {
  size_t actions = 0;                            // the number of actions, at least 2
  Handles* owner = nullptr;                      // of the capture
  std::atomic<cutset_capture> capture{nullptr};  // null: not recorded
  bool has_run = false;                          // the actions have been enqueued one by one
  bool refused = false;                          // the device cannot record the segment
};

// Finds the segments of a list that runs on `device`, appends them to `segments` and lets the first action of each point
// to it. `owner` will own the captures, and must be destroyed before the plans and the memory of the actions.
void find_segments(const OpenDevice& device, Handles& owner, std::vector<Action>& list, std::deque<Segment>& segments);

// Runs the segment that begins with the first of `actions` as part of step `step`, in one of these ways. An error names the first op.
Status run_segment(const OpenDevice& device, cutset_queue queue, std::span<const Action> actions, uint64_t step);

// The index of the action of `list` that the device runs after it has done `commands` commands, if segments are launched.
size_t action_after(std::span<const Action> list, uint64_t commands);

}  // namespace cutset
