// The devices of a session, opened, with one executor thread a queue, and the variables, which outlive
// the programs that use them.
//
// One host thread uses a Machine. A failure of any device poisons it: the waits of all others are ended,
// the error is kept, and every later call returns it. Variables can still be read then where their device still
// answers, unless the failure came while they were updated: see tear. A step that takes very long is reported, with
// the instruction that each queue is at.
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

#include "runtime/all_reduce.h"
#include "runtime/host_tensor.h"
#include "runtime/open_device.h"
#include "runtime/program.h"
#include "runtime/trace.h"
#include "runtime/transport.h"

namespace cutset {

// An instruction with its names looked up: what an executor thread walks, without a search or an allocation.
struct Action {
  Instruction::Kind kind = Instruction::Kind::kKernel;
  const cutset_kernel* kernel = nullptr;
  cutset_instance instance = nullptr;
  cutset_event event = nullptr;
  cutset_tensor from = nullptr, to = nullptr;
  uint64_t bytes = 0;
  const void** input = nullptr;  // where the host's tensor of this run is noted
  uint64_t offset = 0;           // first byte in it
  void* output = nullptr;
  Mailbox* mailbox = nullptr;
  AllReduce* all_reduce = nullptr;
  size_t part = 0;
  MessageHeader header;
  const Instruction* source = nullptr;  // for messages
};

// Enqueues one action, or carries it out where it is the host's part of a transfer.
Status run_action(const OpenDevice& device, cutset_queue queue, const Action& action, uint64_t step);

class Machine {
 public:
  static Result<std::unique_ptr<Machine>> open(const DeviceList& devices);
  ~Machine();

  size_t size() const { return devices_.size(); }
  OpenDevice& device(size_t i) { return *devices_[i]; }
  cutset_queue queue(size_t worker) { return queues_[worker]; }  // not while a step runs
  int index_of(const std::string& device) const;                 // kNone: not one of ours

  // Makes room for variables that are new; their contents are undefined until written.
  Status declare(const std::vector<Variable>& variables, const std::vector<std::string>& devices);
  // What the devices and variables are now, and back to it, where loading a program has failed.
  struct Mark {
    std::vector<OpenDevice::Mark> devices;
    size_t variables;
  };
  Mark mark() const;
  void take_back(const Mark& mark);
  Result<cutset_tensor> variable_tensor(const std::string& name, size_t device);
  // Writes every copy; reads copy `copy`, of which there is one a replica.
  Status write_variable(const std::string& name, const HostTensor& value);
  Result<HostTensor> read_variable(const std::string& name, size_t copy = 0);
  size_t copies(const std::string& name) const;
  std::vector<std::string> variable_names() const;

  // Runs one list a queue (device-major, kQueues a device) to the end of all, as step `step`. When it fails, no
  // queue is at work any more.
  Status execute(const std::vector<std::vector<Action>>& lists, uint64_t step);
  // Ends every wait and all further work with `error`, unless an earlier failure did.
  void fail(Failure error);
  // Whether a device failed, after which nothing more is executed here.
  bool failed() { return !healthy().ok(); }
  // Variables are of two steps since `why`: reading one fails with it from now on.
  void tear(Failure why) { torn_ = std::move(why); }
  const std::optional<Failure>& torn() const { return torn_; }
  // From the next execute on; null: no more. The trace outlives its use.
  void record_into(Trace* trace) { trace_ = trace; }
  // Calls `report` with a sentence, on the thread of execute, whenever a step has taken `seconds` longer than the
  // one before last reported: which instruction each queue is at. The step goes on. At first: 60 s, to stderr.
  void report_stalls(double seconds, std::function<void(const std::string&)> report);
  // Mailboxes and sums that a failure has to wake.
  void watch(Mailbox* mailbox) { mailboxes_.insert(mailbox); }
  void watch(AllReduce* sum) { sums_.insert(sum); }
  void forget(Mailbox* mailbox) { mailboxes_.erase(mailbox); }
  void forget(AllReduce* sum) { sums_.erase(sum); }

 private:
  struct Copy {
    size_t device;
    cutset_tensor tensor;
  };
  struct Held {
    TensorType type;
    std::vector<Copy> copies;
  };
  Machine() = default;
  void work(size_t worker);
  Status run_list(size_t worker);
  Status healthy();  // the first failure, if there was one
  void wait_for_workers(uint64_t step);
  std::string where_queues_are() const;

  std::vector<std::unique_ptr<OpenDevice>> devices_;
  std::vector<cutset_queue> queues_;
  std::map<std::string, Held> variables_;
  std::vector<std::string> declared_;  // in order
  std::unordered_set<Mailbox*> mailboxes_;
  std::unordered_set<AllReduce*> sums_;

  std::vector<std::thread> workers_;
  const std::vector<std::vector<Action>>* lists_ = nullptr;
  Trace* trace_ = nullptr;
  uint64_t step_ = 0;
  std::atomic<uint64_t> generation_{0};
  std::atomic<uint32_t> running_{0};
  std::mutex done_mutex_;
  std::condition_variable done_;  // notified by the last worker of a step
  // What each queue has begun last in this step; null: nothing, or all. One cache line each.
  struct alignas(64) Current {
    std::atomic<const Action*> action{nullptr};
  };
  std::unique_ptr<Current[]> current_;
  double stall_seconds_ = 60;
  std::function<void(const std::string&)> report_stall_;
  std::atomic<bool> stop_{false};
  std::mutex error_mutex_;
  bool failed_ = false;
  Failure error_;
  std::optional<Failure> torn_;
};

}  // namespace cutset
