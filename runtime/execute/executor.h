// Runs loaded programs on the devices of a session. It owns the open devices, one executor thread per queue, and the
// variables, which outlive the programs that use them.
//
// One host thread at a time may use an Executor. Its executor threads wait between steps.
//
// A failure of one device is final. It ends the waits of all devices, and every later execute() and write_variable()
// returns the first error. Variables can still be read if their device still works, unless the failure interrupted
// their update (tear).
//
// A step that takes longer than a minute is reported on standard error, with the current instruction of each queue
// (report_stalls).
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>

#include "runtime/device/open_device.h"
#include "runtime/execute/arena.h"
#include "runtime/execute/bound_command.h"
#include "runtime/execute/trace.h"
#include "runtime/files/host_tensor.h"
#include "runtime/program/program.h"

namespace cutset {

class Executor {
 public:
  // Opens the devices and starts the executor threads. Fails if a device cannot be opened or a thread not be started.
  static Result<std::unique_ptr<Executor>> open(const DeviceList& devices);
  ~Executor();

  size_t size() const { return devices_.size(); }  // the number of devices
  OpenDevice& device(size_t i) { return *devices_[i]; }
  Arena& arena(size_t device) { return *arenas_[device]; }
  // The queue with the number `worker`, which is device * kQueues + Queue. Must not be used while a step runs.
  cutset_queue queue(size_t worker) { return queues_[worker]; }
  // The index of the device with this name, or kNone if the executor has no such device.
  int index_of(const std::string& device) const;

  // Allocates memory for those variables that do not exist yet; their values are undefined until they are written.
  // `devices` are the names that Variable::homes refers to. Fails if a variable exists with another type or other
  // homes.
  Status declare(const std::vector<Variable>& variables, const std::vector<std::string>& devices);
  // mark() remembers which variables exist; take_back() removes all that were created since. They undo the loading of a
  // program that has failed.
  struct Mark {
    std::vector<Handles::Mark> devices;
    size_t variables;
  };
  Mark mark() const;
  void take_back(const Mark& mark);
  // The memory of the variable, or of its piece, on a device. Fails if the device is none of its homes.
  Result<cutset_slice> variable_slice(const std::string& name, size_t device);
  // Writes all copies of a variable. If a device fails, the variables are unusable afterwards (tear).
  Status write_variable(const std::string& name, const HostTensor& value);
  // Reads one copy of a variable, in the order of Variable::homes, and joins its pieces.
  Result<HostTensor> read_variable(const std::string& name, size_t copy = 0);
  // The number of copies of a variable; 0 if it does not exist.
  size_t copies(const std::string& name) const;
  std::vector<std::string> variable_names() const;

  // Runs one list of commands per queue, as step `step`, and returns when all are done. The list of queue q of device d
  // is lists[d * kQueues + q]. Events and messages are compared with `step`, so it must grow from one run of the same
  // lists to the next. If a device fails, returns the first error; no queue has unfinished commands then.
  Status execute(const std::vector<std::vector<BoundCommand>>& lists, uint64_t step);
  // Ends all waits and makes every later execute() return `error`. Has no effect after an earlier failure. Any thread
  // may call it.
  void fail(Failure error);
  // Like fail() and tear() together, with an error that was allocated by open(). It is for failures that cannot be
  // described, because host memory is exhausted.
  void fail_without_memory() noexcept;
  // Returns true if a device has failed, after which execute() always fails.
  bool failed();
  Status healthy();  // success, or the first failure
  // Declares the variables unusable, because some are from before a step and others from after it. From now on
  // read_variable() fails with `why`.
  void tear(Failure why) { torn_ = std::move(why); }
  const std::optional<Failure>& torn() const { return torn_; }
  // Records all later steps into `trace`, which must stay valid; null ends the recording.
  void record_into(Trace* trace) { trace_ = trace; }
  // While a step has not ended, calls `report` every `seconds` seconds, on the thread of execute(), with a text that
  // names the current instruction of each queue. The step continues. Default: every 60 s, to standard error.
  void report_stalls(double seconds, std::function<void(const std::string&)> report);
  // The mailboxes and all-reduces on which executor threads may block. A failure wakes them with an error.
  void watch(Mailbox* mailbox) { mailboxes_.insert(mailbox); }
  void watch(AllReduce* sum) { sums_.insert(sum); }
  void forget(Mailbox* mailbox) { mailboxes_.erase(mailbox); }
  void forget(AllReduce* sum) { sums_.erase(sum); }

 private:
  struct Copy {
    size_t device;
    cutset_slice slice;
  };
  // A variable with what its homes hold.
  struct Held {
    Variable variable;
    std::vector<Copy> homes;
  };
  Executor() = default;
  void work(size_t worker);
  Status run_list(size_t worker);
  // The same for a step that is recorded. Each command is enqueued between two timestamps.
  Status run_traced(size_t worker);
  void wait_for_workers(uint64_t step);
  void report_stall(uint64_t step) noexcept;
  void abandon();  // ends all waits; the caller holds error_mutex_
  std::string where_queues_are() const;

  std::vector<std::unique_ptr<OpenDevice>> devices_;
  std::vector<std::unique_ptr<Arena>> arenas_;  // by device
  std::vector<cutset_queue> queues_;            // of queue q of device d: element d * kQueues + q
  std::map<std::string, Held> variables_;
  std::vector<std::string> declared_;  // the names of the variables in the order of their declaration
  std::unordered_set<Mailbox*> mailboxes_;
  std::unordered_set<AllReduce*> sums_;

  std::vector<std::thread> workers_;  // one per queue
  // execute() sets the following members before it raises `generation_`, which starts the workers.
  const std::vector<std::vector<BoundCommand>>* lists_ = nullptr;
  Trace* trace_ = nullptr;
  uint64_t step_ = 0;
  std::atomic<uint64_t> generation_{0};
  std::atomic<uint32_t> running_{0};  // the number of workers that have not finished the step
  std::mutex done_mutex_;
  std::condition_variable done_;  // notified by the last worker of a step
  // By queue: where it is in the current step. Each has a cache line of its own.
  struct alignas(64) Current {
    std::atomic<const BoundCommand*> command{
        nullptr};                          // the command that has been enqueued last; null: none, or all are done
    bool counts = false;                   // whether the device counts the commands that are done
    std::atomic<uint64_t> before{0};       // the commands of the queue that were done before the step
    std::unique_ptr<Handles> timestamps;   // those of a trace; null: none was recorded yet
    std::vector<cutset_timestamp> stamps;  // the timestamps, two per command
  };
  // By device: a timestamp and the time of the host's clock at which it was recorded, before the step began. The
  // timestamps of the queues are measured from there.
  struct Anchor {
    cutset_timestamp stamp = nullptr;
    Trace::Clock::time_point time;
  };
  std::vector<Anchor> anchors_;
  Status set_anchors();
  // The index of the instruction that the queue is at, at most `enqueued`.
  size_t index_of_current(size_t worker, size_t enqueued) const;
  std::unique_ptr<Current[]> current_;
  double stall_seconds_ = 60;
  std::function<void(const std::string&)> report_stall_;
  std::atomic<bool> stop_{false};
  std::mutex error_mutex_;
  bool failed_ = false;
  Failure error_;
  std::optional<Failure> torn_;
  // The errors of fail_without_memory().
  Failure out_of_memory_ = no_memory(), torn_out_of_memory_ = no_memory();
  static Failure no_memory();
};

}  // namespace cutset
