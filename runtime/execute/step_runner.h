// SPDX-License-Identifier: Apache-2.0
// Runs steps on the queues of a session. A step is a transaction: every queue runs its list of `compute`;
// when all have finished, the step is voted on; and if the vote is for it, every queue runs its list of
// `apply`.
//
// The thread of the queue that finishes `compute` last takes the vote, so no queue waits for the thread of
// the caller. A queue that has nothing to do in a step takes no part in it.
//
// One host thread at a time may use a StepRunner.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/execute/bound_command.h"
#include "runtime/execute/health.h"
#include "runtime/execute/trace.h"
#include "runtime/execute/workers.h"

namespace cutset {

class StepRunner final : private Task {
 public:
  // One list of commands per queue, by the number of the queue.
  using Lists = std::vector<std::vector<BoundCommand>>;
  // Decides whether the updates of a step are applied. It is called on the thread of a queue, when no queue
  // has unfinished commands and no device has failed. It must not throw. An empty function means that the
  // updates of every step are applied.
  using Vote = std::function<bool()>;
  struct Outcome {
    Status status;           // the first error of a device
    bool committed = false;  // the vote was for the step, so `apply` has begun
  };

  // `workers` has one thread per queue. All arguments outlive the object.
  StepRunner(Devices& devices, Health& health, Workers& workers, Clock& clock);

  // Runs a step and returns when all queues are done. Events and messages are compared with `step`, so it
  // must grow from run to run. After a failure, no queue has unfinished commands.
  Outcome run(const Lists& compute, const Lists& apply, uint64_t step, const Vote& vote);
  // Sets how long a transfer may wait for another device. After a longer wait, the transfer and the step
  // fail. Default: 30 minutes.
  void set_peer_timeout(Clock::Time timeout) { peer_timeout_ = timeout; }
  // Records all later steps into `trace`, which must stay valid; null ends the recording.
  void record_into(Trace* trace) { trace_ = trace; }
  // Sets how steps that take long are reported. While a step runs, the thread of run() calls `report` after
  // each `interval` of the clock, with a text that names the current instruction of each queue. The step
  // continues. Default: every 60 s, to standard error.
  void report_stalls(Clock::Time interval, std::function<void(const std::string&)> report);

 private:
  enum Decision : uint32_t { kOpen, kCommit, kRefuse };
  void run(size_t worker) noexcept override;
  void run_part(size_t worker, const std::vector<BoundCommand>& list) noexcept;
  Status run_list(size_t worker, const std::vector<BoundCommand>& list);
  // Runs a list of a step that is recorded: enqueues each command between two timestamps.
  Status run_traced(size_t worker, const std::vector<BoundCommand>& list);
  void arrive();
  void wait_for_queues();
  void report_stall() noexcept;
  std::string where_queues_are() const;

  Devices& devices_;
  Health& health_;
  Workers& workers_;
  Clock& clock_;

  // run() sets the following members before it pushes the step to the workers.
  const Lists *compute_ = nullptr, *apply_ = nullptr;
  const Vote* vote_ = nullptr;
  Trace* trace_ = nullptr;
  Run run_;
  std::atomic<uint32_t> computing_{0};  // the number of queues that have not finished `compute`
  std::atomic<uint32_t> decision_{kOpen};
  std::atomic<uint32_t> running_{0};  // the number of queues that have not finished the step
  std::mutex done_mutex_;
  std::condition_variable done_;  // notified by the last queue of a step

  // The progress of one queue in the current step. Each object has its own cache line.
  struct alignas(64) Current {
    std::atomic<const std::vector<BoundCommand>*> list{nullptr};  // null: it runs no list
    std::atomic<size_t> index{0};          // the index in the list of the command that was enqueued last
    bool counts = false;                   // whether the device counts the commands that are done
    std::atomic<uint64_t> before{0};       // the commands of the queue that were done before the list
    std::unique_ptr<Handles> timestamps;   // owns `stamps`; null: no trace was recorded yet
    std::vector<cutset_timestamp> stamps;  // the timestamps, two per command
  };
  // By device: a timestamp and the time of the host's clock at which it was recorded, before the step began.
  // The timestamps of the queues are measured from there.
  struct Anchor {
    cutset_timestamp stamp = nullptr;
    cutset_timestamp tried = nullptr;  // another timestamp, whose reading may be closer
    Trace::Clock::time_point time;
  };
  Status set_anchors();
  // Returns the index in the list of the command that the queue is running. It is at most `enqueued`.
  size_t index_of_current(size_t worker, const std::vector<BoundCommand>& list, size_t enqueued) const;
  std::vector<Anchor> anchors_;
  std::unique_ptr<Current[]> current_;
  Clock::Time peer_timeout_ = std::chrono::minutes(30);
  Clock::Time stall_interval_ = std::chrono::minutes(1);
  std::function<void(const std::string&)> report_stall_;
};

}  // namespace cutset
