// SPDX-License-Identifier: Apache-2.0
// Simulates the queues of a function, to find in which order they meet and where they are blocked.
//
// A happening is an event, a message or a sum. Signals, sends and starts of sums give it; waits for events,
// receives and waits for sums wait for it. It happens when all of its givers have run: one signal, one send,
// or one start per partial sum.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/program/program.h"

namespace cutset {

// An instruction that gives a happening, or that waits for it.
struct Meeting {
  uint32_t queue;  // device * kQueues + queue
  uint32_t happening;
  size_t index;  // in its list
  bool gives;    // true: signal, send or start; false: a wait
};

// Returns the list `compute` or `apply` of queue `queue` % kQueues of device `queue` / kQueues.
inline const std::vector<Instruction>& list_of(const Function& f, size_t queue, bool apply) {
  const Sequence& s = f.devices[queue / kQueues].queues[queue % kQueues];
  return apply ? s.apply : s.compute;
}

// Returns true for a wait for an event, a receive and a wait for a sum.
inline bool waits(const Instruction& i) {
  return i.is<AwaitEvent>() || i.is<Receive>() || i.is<AwaitAllReduce>();
}

class Meetings {
 public:
  static constexpr uint32_t kNoHappening = UINT32_MAX;
  struct Run {
    std::vector<Meeting> meetings;  // in an order that the waits allow
    std::vector<size_t> next;       // by queue: the first instruction of its list that has not run
  };

  // `function` must outlive this object. The indices in its instructions must be in range.
  explicit Meetings(const Function& function);

  // Runs the lists `compute` or `apply` of all queues as far as the waits allow. Each queue runs in order,
  // and each happening occurs once per step. The order in which the queues are simulated therefore does not
  // change which of them are blocked in the end. `compute` is to run before `apply`. It takes linear time.
  Run run(bool apply);

  // Returns the number of happenings. They are numbered from 0 on.
  size_t happenings() const { return happenings_.size(); }
  // Returns the happening that an instruction of the device gives or waits for, or kNoHappening.
  uint32_t happening_of(const Instruction& i, size_t device) const;

 private:
  struct Happening {
    size_t givers_left = 1;
    std::vector<size_t> waiting;  // the queues that are blocked until it happens
  };
  const Function& f_;
  std::vector<Happening> happenings_;  // the events of each device, then the channels, then the sums
  std::vector<size_t> first_event_;    // by device
  size_t first_channel_ = 0, first_collective_ = 0;
};

}  // namespace cutset
