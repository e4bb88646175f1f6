// SPDX-License-Identifier: Apache-2.0
// Runs a step on one thread, instruction by instruction, and calls an observer before and after each
// instruction. Executable::step_through is the entry point.
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "ir/core/result.h"
#include "runtime/execute/bound_command.h"
#include "runtime/execute/executor.h"
#include "runtime/program/program.h"

namespace cutset {

// All functions are called on the thread of step_through.
class Observer {
 public:
  // An instruction and its place in the program.
  struct PlacedInstruction {
    size_t device;  // the index in Program::devices
    Queue queue;
    bool apply;  // true: it belongs to `apply`, false: to `compute`
    const Instruction* instruction;
  };
  virtual ~Observer() = default;
  // Called before the instruction is enqueued, and after its work is done. An error ends the step and is
  // returned.
  virtual Status before(const PlacedInstruction&) { return {}; }
  virtual Status after(const PlacedInstruction&) { return {}; }
  // Called if no queue can continue, with an instruction that is blocked and the error `why` that names it.
  // The step ends with the returned error, or with `why` if no error is returned.
  virtual Status stuck(const PlacedInstruction&, const Failure& why) { return why; }
};

class StepThrough {
 public:
  // Steps through `function`. `device_of` gives, by device of the program, the index of the device in
  // `executor`. All arguments must outlive this object.
  StepThrough(Executor& executor, const std::vector<size_t>& device_of, const Function& function,
              const Run& run, Observer& observer)
      : executor_(executor), device_of_(device_of), function_(function), run_(run), observer_(observer) {}
  // Runs all lists, one per queue, to their ends. Fails if instructions remain and no queue can continue; the
  // error names a blocked instruction.
  Status walk(const std::vector<std::vector<BoundCommand>>& lists, bool apply);

 private:
  Executor& executor_;
  const std::vector<size_t>& device_of_;
  const Function& function_;
  const Run run_;
  Observer& observer_;
  std::set<const void*>
      happened_;  // the events that were signalled and the staging memory of the messages that were sent
  std::map<const Group*, size_t> arrived_;  // by group: the number of partial sums that have arrived
};

}  // namespace cutset
