// SPDX-License-Identifier: Apache-2.0
// A function of a program that is bound to the devices of an Executor: its instructions are lists of commands
// with the handles of the devices, so that a step neither searches nor allocates memory.
//
// Links, groups, events and prepared kernels live as long as the object. The places of the buffers
// are determined by bind() and forgotten by unbind(), any number of times, because the arena of a device may
// be replaced between two runs. One host thread at a time may use the object, and bind() and unbind() must
// not be called while a step runs.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "runtime/execute/bound_program.h"
#include "runtime/execute/bound_transfers.h"
#include "runtime/execute/landing.h"
#include "runtime/execute/segment.h"
#include "runtime/program/program.h"

namespace cutset {

class BoundFunction {
 public:
  // Creates everything except the places of the buffers. Fails if the all-reduces of the function are
  // invalid, or if a device does not support a kernel.
  static Result<std::unique_ptr<BoundFunction>> make(BoundProgram& program, const Function& function);
  ~BoundFunction();
  BoundFunction(const BoundFunction&) = delete;

  // Places the buffers in the arenas of the program. Fails if a buffer is not aligned as its device demands.
  // After a failure, unbind() must be called.
  Status bind();
  void unbind();
  // Gives memory to the outputs that have none: all outputs of a new function, and the outputs that the
  // caller of the last run has taken. Their bytes are undefined until a run has succeeded. Must be called
  // before each run.
  Status renew_outputs();

  // Returns a landing that nobody else holds, for the inputs of a later run. Returns null if no device lands
  // inputs, if kLandings are held, or if a device has no memory for another landing. The landing is released
  // when the function is destroyed. Requires bind().
  std::shared_ptr<Landing> free_landing();
  // Returns the addresses, inside the tensors in `inputs`, from which each part of a landing is filled.
  std::vector<const void*> landing_sources() const;
  // One run reads a landing while another landing is filled.
  static constexpr size_t kLandings = 2;

  const Function& function() const { return function_; }
  // Returns, by device, the bytes of the arena with the scratch memory of the kernels (scratch_memory.h).
  const std::vector<uint64_t>& step_memory() const { return step_memory_; }
  bool applies() const { return applies_; }  // whether any instruction belongs to `apply`

  struct Fed {
    unsigned char bytes[8];
  };
  std::vector<const void*> inputs;   // by input: the address of its value in the current run
  std::vector<Fed> fed;              // by input: the value of a scalar that the session feeds
  const Landing* landing = nullptr;  // has the inputs of the current run; null: they are copied from the host
  std::vector<HostTensor> outputs;   // by output; the instructions of every run write all bytes
  std::vector<cutset_slice> slices;  // by buffer; without a device buffer for kTypeOnly
  std::vector<std::vector<BoundCommand>> compute, apply;  // by queue of the executor

 private:
  BoundFunction(BoundProgram& program, const Function& function) : program_(program), function_(function) {}
  // Calls f(device, queue of the executor, instruction, list of commands) for each instruction, in an order
  // that depends only on the function. Ends at the first failure, which it returns.
  template <class F>
  Status for_each_instruction(F&& f);
  Status make_staging();
  Status prepare();
  void place_scratch_memory();
  Status bind_buffers();
  struct Binder;
  Result<BoundCommand> bind(size_t device, const Instruction& instruction);
  bound::RunKernel bind_kernel(size_t device, const RunKernel& command);
  // Returns the staging memory of the next copy between the host and a device, or null if its rows are
  // contiguous.
  void* next_staging() { return staging_[bound_copies_++]; }

  BoundProgram& program_;
  const Function& function_;
  std::vector<std::vector<cutset_event>> events_;  // by device and number
  std::vector<void*> output_addresses_;            // by output; commands point to the elements
  std::vector<PreparedKernel> kernels_;            // in the order of for_each_instruction
  std::vector<uint64_t> scratch_offsets_;          // by kernel: where its scratch memory begins in the arena
  std::vector<uint64_t> step_memory_;              // by device
  size_t bound_kernels_ = 0;                       // the kernels that bind() has bound so far
  // The number of operands, results and blocks of scratch memory of all kernels.
  size_t kernel_slice_count_ = 0;
  std::vector<cutset_slice> operands_;  // the slices of all kernels; commands point to them
  BoundTransfers transfers_;
  // Staging memory of the copies, in the order of for_each_instruction.
  std::vector<void*> staging_;
  size_t bound_copies_ = 0;                         // the copies that bind() has bound so far
  std::vector<std::unique_ptr<Handles>> recorded_;  // by queue of the executor: the owner of what is recorded
  std::deque<Segment> segments_;                    // the segments of all lists
  std::deque<Capture> captures_;                    // the captures of all segments
  // The ReadInputs of devices that land inputs, in the order of for_each_instruction.
  struct Landed {
    size_t device;  // the index of the device in the program
    size_t input;
    uint64_t offset, bytes;
  };
  std::vector<Landed> landed_;
  std::vector<std::shared_ptr<Landing>> landings_;
  bool applies_ = false;
};

}  // namespace cutset
