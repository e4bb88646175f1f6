// A program loaded onto a machine: buffers allocated, kernels bound, channels made. Running a step
// allocates nothing on the executor threads.
//
// One host thread uses an Executable; the Machine must outlive it.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "ir/core/attributes.h"
#include "runtime/feeds.h"
#include "runtime/machine.h"
#include "runtime/program.h"

namespace cutset {

// Watches a step that is walked through, one instruction at a time.
class Observer {
 public:
  struct Place {
    size_t device;  // of the program
    Queue queue;
    bool apply;
    const Instruction* instruction;
  };
  virtual ~Observer() = default;
  // Just before, and when its work is done. An error ends the walk.
  virtual Status before(const Place&) { return {}; }
  virtual Status after(const Place&) { return {}; }
  // The instruction waits for what never comes; `why` says so. What is returned ends the walk.
  virtual Status stuck(const Place&, const Failure& why) { return why; }
};

class Executable {
 public:
  // Declares the program's variables and loads all its functions. A failure gives back what it took.
  static Result<std::unique_ptr<Executable>> load(Machine& machine, Program program);
  ~Executable();

  const Program& program() const { return program_; }

  // Runs one function as one transaction: the inputs that the caller feeds in the order of their ports, each of the
  // port's type and valid until the call returns. A function that updates variables fails, with every variable as
  // before, if a scalar result is not finite or a tensor that an update is about to use; others return what they
  // compute. A failure while updates are applied leaves variables of two steps, and the machine says so from then on
  // (Machine::torn). The results stay valid until the next call.
  Result<std::span<const HostTensor>> run(const std::string& function, std::span<const HostTensor* const> inputs,
                                          const Feeds& feeds = {});
  // Whether a run of the function updates variables.
  bool commits(const std::string& function) const;

  // The same on this thread, one instruction at a time, in an order that depends on the program alone and
  // without asking whether results are finite. Fails, naming the instruction, where none can go on.
  Result<std::span<const HostTensor>> step_through(const std::string& function,
                                                   std::span<const HostTensor* const> inputs, Observer& observer,
                                                   const Feeds& feeds = {});
  // A buffer of a function, while it is walked through.
  Result<HostTensor> read_buffer(const std::string& function, int32_t buffer);
  Status write_buffer(const std::string& function, int32_t buffer, const HostTensor& value);

 private:
  struct Loaded {
    const Function* function = nullptr;
    std::vector<cutset_tensor> tensors;               // of each buffer
    std::vector<std::vector<cutset_event>> events;    // of each device
    std::vector<std::unique_ptr<Mailbox>> mailboxes;  // of each channel
    std::vector<std::unique_ptr<AllReduce>> sums;     // of each collective
    std::vector<const void*> inputs;
    struct Fed {
      unsigned char bytes[8];
    };
    std::vector<Fed> fed;  // of each input: the value of a scalar that the session feeds
    std::vector<HostTensor> outputs;
    std::vector<std::vector<Action>> compute, apply;  // a list a queue
    bool applies = false;
    uint64_t runs = 0;  // so far: what events count
  };
  explicit Executable(Machine& machine) : machine_(machine) {}
  Result<Loaded*> prepare(const std::string& function, std::span<const HostTensor* const> inputs, const Feeds& feeds);
  Status sound(const Loaded& loaded, uint64_t step);
  Failure not_finite(const Loaded& loaded, const FiniteCheck& check, uint64_t step);
  struct Walked;
  Status walk(const Loaded& loaded, const std::vector<std::vector<Action>>& lists, bool apply, Walked& walked,
              Observer& observer);
  Result<Loaded*> find_loaded(const std::string& function);
  Status load_all();
  Status load_function(Loaded& loaded);
  Status load_memory(Loaded& loaded);
  Result<Action> bind(Loaded& loaded, size_t device, const Instruction& instruction);

  Machine& machine_;
  Program program_;
  std::vector<size_t> device_of_;  // of the machine, for each device of the program
  std::vector<cutset_tensor> constants_;
  std::vector<std::unique_ptr<Loaded>> functions_;
};

}  // namespace cutset
