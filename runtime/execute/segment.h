// Segments: consecutive kernels and copies of a list of commands, which the device records once and then launches as one
// command. This saves the host the cost of enqueueing each of them in every step.
//
// A device gets segments if it has the table `capture` and its description asks for them (cutset_device_info). The first
// run enqueues the commands one by one, because a library may allocate memory when it runs first, which no device can
// record. The second run records them. If the device refuses, the commands are enqueued one by one, now and later.
#pragma once
#include <atomic>
#include <deque>
#include <span>
#include <vector>

#include "runtime/execute/bound_command.h"

namespace cutset {

// The thread of one queue runs a segment. Any thread may read `capture`.
struct Segment {
  size_t commands = 0;                           // the number of commands, at least 2
  Handles* owner = nullptr;                      // of the capture
  std::atomic<cutset_capture> capture{nullptr};  // null: not recorded
  bool has_run = false;                          // the commands have been enqueued one by one
  bool refused = false;                          // the device cannot record the segment
};

// Finds the segments of a list that runs on `device`, appends them to `segments` and lets the first command of each point
// to it. `owner` will own the captures, and must be destroyed before the plans and the memory of the commands.
void find_segments(const OpenDevice& device, Handles& owner, std::vector<BoundCommand>& list,
                   std::deque<Segment>& segments);

// Runs the segment that begins with the first of `commands` as part of `run`, in one of these ways. An error names the first op.
Status run_segment(const OpenDevice& device, cutset_queue queue, std::span<const BoundCommand> commands,
                   const Run& run);

// The index of the command of `list` that the device runs after it has done `commands` commands, if segments are launched.
size_t command_after(std::span<const BoundCommand> list, uint64_t commands);

}  // namespace cutset
