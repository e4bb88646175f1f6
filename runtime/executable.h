// A program loaded onto a machine: buffers allocated, kernels bound, channels made. Running a step
// allocates nothing on the executor threads.
//
// One host thread uses an Executable; the Machine must outlive it.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "ir/core/attributes.h"
#include "runtime/machine.h"
#include "runtime/program.h"

namespace cutset {

class Executable {
 public:
  // Declares the program's variables and loads all its functions.
  static Result<std::unique_ptr<Executable>> load(Machine& machine, Program program);
  ~Executable();

  const Program& program() const { return program_; }

  // Runs one function as one transaction: inputs in the order of its ports, each of the port's type and
  // valid until the call returns. Fails, with every variable as before, if a scalar result is not
  // finite. The results stay valid until the next call.
  Result<std::span<const HostTensor>> run(const std::string& function, std::span<const HostTensor* const> inputs);

 private:
  struct Loaded {
    const Function* function = nullptr;
    std::vector<cutset_tensor> tensors;               // of each buffer
    std::vector<std::vector<cutset_event>> events;    // of each device
    std::vector<std::unique_ptr<Mailbox>> mailboxes;  // of each channel
    std::vector<std::unique_ptr<AllReduce>> sums;     // of each collective
    std::vector<const void*> inputs;
    std::vector<HostTensor> outputs;
    std::vector<std::vector<Action>> compute, apply;  // a list a queue
    bool applies = false;
    uint64_t step = 0;
  };
  struct Bound {  // what an instance points to
    FlatAttrs attributes;
    std::unique_ptr<AbiProblem> problem;
  };
  explicit Executable(Machine& machine) : machine_(machine) {}
  Status load_function(Loaded& loaded);
  Status load_memory(Loaded& loaded);
  Result<Action> bind(Loaded& loaded, size_t device, const Instruction& instruction);

  Machine& machine_;
  Program program_;
  std::vector<size_t> device_of_;  // of the machine, for each device of the program
  std::vector<cutset_tensor> constants_;
  std::vector<std::unique_ptr<Loaded>> functions_;
  std::vector<std::unique_ptr<Bound>> bound_;
};

}  // namespace cutset
