// What ran when, for people: a file that https://ui.perfetto.dev opens.
//
// A process is a device, a thread one of its queues. Each instruction is a slice with its op, kernel, layer and
// source line; an arrow goes from each send to its recv and from each part of a sum to those that wait for
// it; a counter shows the bytes of the planned memory that are in use.
//
// While a trace is taken, every command is awaited before the next is enqueued, so that its end is known; a
// queue runs in order anyway. Each executor thread records into a list of its own, without a lock.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "runtime/program.h"

namespace cutset {

class Trace {
 public:
  using Clock = std::chrono::steady_clock;
  struct Event {
    const Instruction* instruction;
    uint64_t step;
    Clock::time_point start, end;
  };
  explicit Trace(size_t workers) : events_(workers), begin_(Clock::now()) {}

  // By the executor thread of queue `worker`. Beyond kLimit events a queue records no more.
  void record(size_t worker, const Event& event) {
    if (events_[worker].size() < kLimit) events_[worker].push_back(event);
  }
  // JSON in the Trace Event Format. `functions` are those that the instructions belong to; `devices` names
  // the devices in the order of the workers, kQueues each. While no step runs.
  std::string json(const std::vector<const Function*>& functions, const std::vector<std::string>& devices) const;

 private:
  static constexpr size_t kLimit = 200'000;
  std::vector<std::vector<Event>> events_;
  Clock::time_point begin_;
};

}  // namespace cutset
