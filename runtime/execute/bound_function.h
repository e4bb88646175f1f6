// A function of a program that is bound to the devices of an Executor: its instructions are lists of actions with the
// handles of the devices, so that a step neither searches nor allocates memory.
//
// The host's side (results, mailboxes, all-reduces) lives as long as the object. The devices' side (tensors, events,
// kernel instances) is created by bind() and given up by unbind(), any number of times, because the arena of a device
// may be replaced between two runs. One host thread at a time may use the object, and bind() and unbind() must not be
// called while a step runs.
#pragma once
#include <memory>
#include <vector>

#include "runtime/execute/executor.h"
#include "runtime/program/program.h"

namespace cutset {

// The program of a function, with the resources of devices that it owns. Vectors are indexed by the devices of the
// program. All members outlive the functions that are bound.
struct BoundProgram {
  Executor& executor;
  Program program;
  std::vector<size_t> device_of;                  // the index of the device in the executor
  std::vector<std::unique_ptr<Handles>> handles;  // the resources of constants, followed by those of bound functions
  std::vector<cutset_tensor> constants;           // by constant
  std::vector<cutset_buffer> arenas;              // empty while the program is not bound
};

class BoundFunction {
 public:
  // Allocates the host's side. Fails if the all-reduces of the function are invalid.
  static Result<std::unique_ptr<BoundFunction>> make(BoundProgram& program, const Function& function);
  ~BoundFunction();
  BoundFunction(const BoundFunction&) = delete;

  // Creates the devices' side in the arenas of the program. Fails if a buffer is not aligned as its device demands, if
  // a device does not support a kernel, or if a kernel needs more scratch memory than the program has planned. After a
  // failure, unbind() must be called.
  Status bind();
  // Forgets the devices' side. The owner of its handles (BoundProgram::handles) releases them afterwards.
  void unbind();

  const Function& function() const { return function_; }
  bool applies() const { return applies_; }  // whether any instruction belongs to `apply`

  struct Fed {
    unsigned char bytes[8];
  };
  std::vector<const void*> inputs;                  // by input: the address of its value in the current run
  std::vector<Fed> fed;                             // by input: the value of a scalar that the session feeds
  std::vector<HostTensor> outputs;                  // by output
  std::vector<cutset_tensor> tensors;               // by buffer; null for kTypeOnly
  std::vector<std::vector<Action>> compute, apply;  // by queue of the executor
  uint64_t runs = 0;                                // the number of runs; events are signalled with this value

 private:
  BoundFunction(BoundProgram& program, const Function& function) : program_(program), function_(function) {}
  Status bind_buffers();
  Result<Action> bind(size_t device, const Instruction& instruction);
  Status bind_kernel(size_t device, const Instruction& instruction, Action& action);

  BoundProgram& program_;
  const Function& function_;
  std::vector<std::vector<cutset_event>> events_;    // by device and number
  std::vector<std::unique_ptr<Mailbox>> mailboxes_;  // by channel
  std::vector<std::unique_ptr<AllReduce>> sums_;     // by collective
  bool applies_ = false;
};

}  // namespace cutset
