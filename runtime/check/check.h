// The parts of check_program. Each takes for granted what those before it have proved, and none takes longer
// than n log n in the size of the function.
#pragma once
#include <string>

#include "ir/core/result.h"
#include "runtime/program.h"

namespace cutset::check {

// "'train': " and what is wrong in it.
Failure wrong(const Function& f, const std::string& what);
// "instruction 12 of the compute queue of cpu:0 ('matmul' of fc1)"
std::string place(const Function& f, size_t device, int queue, bool apply, size_t index);

// Every index is one of what it counts, types fit, and every kernel's op takes its operands to its results.
Status check_instructions(const Program& program, const Function& function);
// A step comes to its end: nothing waits for what never happens.
Status check_order(const Function& function);
// What is alive together lies apart, nothing is read before it is written, what two queues touch is ordered by
// events, and kernels work in place only where their op says so.
Status check_memory(const Function& function);

// Is `index` that of an element of `list`?
template <class List>
bool within(int64_t index, const List& list) {
  return index >= 0 && index < static_cast<int64_t>(list.size());
}

// Calls `f` with every instruction of a device: f(instruction, queue, whether it is of `apply`, its index in its list).
// Ends with the first failure of `f`.
template <class F>
Status for_each_instruction(const DevicePlan& plan, F&& f) {
  for (int q = 0; q < kQueues; ++q)
    for (const bool apply : {false, true}) {
      const auto& list = apply ? plan.queues[q].apply : plan.queues[q].compute;
      for (size_t i = 0; i < list.size(); ++i) CUTSET_TRY(f(list[i], q, apply, i));
    }
  return {};
}

}  // namespace cutset::check
