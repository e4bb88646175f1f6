// SPDX-License-Identifier: Apache-2.0
// Records when each instruction ran and writes the record in the Trace Event Format, which
// https://ui.perfetto.dev displays.
//
// A device is shown as a process, and each of its queues as a thread. The name of the process has the stages
// of the device in a pipeline. Each instruction is a slice with these arguments:
// - its op, kernel, layer and source line;
// - its role: "forward", "backward", "accumulate", "update" and so on; for a transfer, the role that sends or
//   reads the value;
// - its stage: "1 of 2";
// - its micro-batch, if the device computes several: the number of its shard of the batch.
// Consecutive kernels with the same role, stage and micro-batch are in one slice, such as "forward,
// micro-batch 2". The time for which a recv or the end of an all-reduce waits for another device is a
// separate slice. An arrow leads from each send to its recv, and from each start of an all-reduce to the
// instructions that wait for the sum. A counter shows how many bytes of the arena are in use.
//
// Each device measures when it runs its commands (the table `time` of the device ABI), so a trace does not
// change the order of the commands. On a device without this table, the thread of a queue waits for the end
// of each command before it enqueues the next one, and the steps are slower than without a trace. The thread
// of each queue records into its own list, without a lock.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "runtime/program/program.h"

namespace cutset {

class Trace {
 public:
  using Clock = std::chrono::steady_clock;
  struct Event {
    const Instruction* instruction;
    uint64_t step;
    Clock::time_point start, end;
  };
  // `workers` is the number of queues, which is kQueues per device.
  explicit Trace(size_t workers) : events_(workers), begin_(Clock::now()) {}

  // Appends an event to the list of queue `worker`; only the thread of this queue may call it. Events after
  // the first 200,000 of a queue are dropped.
  void record(size_t worker, const Event& event) {
    if (events_[worker].size() < kLimit) events_[worker].push_back(event);
  }
  // Returns the events as JSON. `functions` are the functions whose instructions were recorded, and `devices`
  // the names of the devices in the order of the executor. Must not be called while a step runs.
  std::string json(const std::vector<const Function*>& functions,
                   const std::vector<std::string>& devices) const;

 private:
  static constexpr size_t kLimit = 200'000;
  std::vector<std::vector<Event>> events_;
  Clock::time_point begin_;
};

}  // namespace cutset
