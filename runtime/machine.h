// The devices of a session, opened, with one executor thread a queue, and the variables, which outlive
// the programs that use them.
//
// One host thread uses a Machine. A failure of any device poisons it: the waits of all others are ended,
// the error is kept, and every later call returns it. Variables can still be read then where their device still
// answers, unless the failure came while they were updated: see tear.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

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
  Result<cutset_tensor> variable_tensor(const std::string& name, size_t device);
  // Writes every copy; reads copy `copy`, of which there is one a replica.
  Status write_variable(const std::string& name, const HostTensor& value);
  Result<HostTensor> read_variable(const std::string& name, size_t copy = 0);
  size_t copies(const std::string& name) const;
  std::vector<std::string> variable_names() const;

  // Runs one list a queue (device-major, kQueues a device) to the end of all, as step `step`.
  Status execute(const std::vector<std::vector<Action>>& lists, uint64_t step);
  // Whether a device failed, after which nothing more is executed here.
  bool failed() { return !healthy().ok(); }
  // Variables are of two steps since `why`: reading one fails with it from now on.
  void tear(Failure why) { torn_ = std::move(why); }
  const std::optional<Failure>& torn() const { return torn_; }
  // From the next execute on; null: no more. The trace outlives its use.
  void record_into(Trace* trace) { trace_ = trace; }
  // Mailboxes and sums that a failure has to wake.
  void watch(Mailbox* mailbox) { mailboxes_.push_back(mailbox); }
  void watch(AllReduce* sum) { sums_.push_back(sum); }
  void forget(Mailbox* mailbox) { std::erase(mailboxes_, mailbox); }
  void forget(AllReduce* sum) { std::erase(sums_, sum); }

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
  void fail(Failure error);
  Status healthy();

  std::vector<std::unique_ptr<OpenDevice>> devices_;
  std::vector<cutset_queue> queues_;
  std::map<std::string, Held> variables_;
  std::vector<Mailbox*> mailboxes_;
  std::vector<AllReduce*> sums_;

  std::vector<std::thread> workers_;
  const std::vector<std::vector<Action>>* lists_ = nullptr;
  Trace* trace_ = nullptr;
  uint64_t step_ = 0;
  std::atomic<uint64_t> generation_{0};
  std::atomic<uint32_t> running_{0};
  std::atomic<bool> stop_{false};
  std::mutex error_mutex_;
  bool failed_ = false;
  Failure error_;
  std::optional<Failure> torn_;
};

}  // namespace cutset
