// SPDX-License-Identifier: Apache-2.0
// Segments: consecutive kernels and copies of a list of commands, which the device records once and then
// launches as one command. This saves the host the cost of enqueueing each of them in every step.
//
// Segments of one queue with the same commands share one capture. A role that is called once per micro-batch
// has few frames (graph/packing/group_slots.h), so a queue has few captures, however often the role is
// called. Commands are the same if they are the same copy, or the same plan on the same memory: a plan holds
// the attributes and the types, and no result depends on the number of the step (cutset_run).
//
// A device gets segments if it has the table `capture` and its description asks for them
// (cutset_device_info). The first run enqueues the commands one by one, because a library may allocate memory
// when it runs first, which no device can record. The second run records them. If the device refuses, the
// commands are enqueued one by one, now and later.
#pragma once
#include <atomic>
#include <deque>
#include <span>
#include <vector>

#include "runtime/execute/bound_command.h"

namespace cutset {

// The commands of one or more segments of a queue, recorded. The thread of the queue uses it; any thread may
// read `recorded`.
struct Capture {
  Handles* owner = nullptr;                       // the owner of `recorded`
  std::atomic<cutset_capture> recorded{nullptr};  // null: not recorded
  uint64_t first_run = 0;  // the run that first enqueues the commands, one by one; 0: no run has
  bool refused = false;    // the device cannot record the commands
};

struct Segment {
  size_t commands = 0;         // the number of commands, at least 2
  Capture* capture = nullptr;  // the capture of these commands
};

// Finds the segments of the lists of one queue of `device`, appends them to `segments` and their captures to
// `captures`, and lets the first command of each segment point to it. `owner` will own what the captures
// record, and must be destroyed before the plans and the memory of the commands. It takes O(n log n) time for
// n commands.
void find_segments(const OpenDevice& device, Handles& owner,
                   std::span<std::vector<BoundCommand>* const> lists, std::deque<Segment>& segments,
                   std::deque<Capture>& captures);

// Runs the segment that begins with the first of `commands` as part of `run`, in one of these ways. An error
// names the first op.
Status run_segment(const OpenDevice& device, cutset_queue queue, std::span<const BoundCommand> commands,
                   const Run& run);

// Returns the index of the command of `list` that the device runs after its first `commands` commands, if
// segments are launched.
size_t command_after(std::span<const BoundCommand> list, uint64_t commands);

}  // namespace cutset
