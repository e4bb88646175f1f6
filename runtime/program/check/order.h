// SPDX-License-Identifier: Apache-2.0
// The third check of a function: every step terminates, because no instruction waits for an event, a message
// or a sum that never arrives. The check yields the order of the instructions, on which the check of the
// memory is based.
//
// A graph defines the order. Its nodes are the instructions of all queues of all devices, and these are its
// edges:
//   - from each instruction to the next one of its queue;
//   - from the signal of an event to each wait for it;
//   - from the send of a channel to its receive, because a send returns when the tensor is in host memory;
//   - from each start of an all_reduce to each wait for its sum, for the same reason;
//   - from all instructions of `compute` to all of `apply`, because the executor starts `apply` when all
//     queues have finished `compute`.
// The executor also starts a step only when all queues have finished the step before it (StepRunner::run), so
// each instruction of a step is ordered after all instructions of the step before. Inputs that are copied to
// a device before their step are in memory that no buffer of a program overlaps (runtime/execute/landing.h).
#pragma once
#include <algorithm>
#include <array>

#include "ir/core/result.h"
#include "runtime/program/order/meetings.h"
#include "runtime/program/program.h"

namespace cutset::checks {

// A vector clock: for every queue of one device, how many of its instructions are known to be done. The
// instructions of `apply` are counted after the instructions of `compute`.
using Clock = std::array<int64_t, kQueues>;

// An instruction of a device. `number` counts the instructions of `compute`, and then the instructions of
// `apply`.
struct Action {
  size_t device;
  int queue;
  bool apply;
  size_t index;  // in the list `compute` or `apply`
  int64_t number;
};

class Order {
 public:
  // Fails with an instruction that would block forever, or with instructions that wait for each other. The
  // function must have passed check_instructions, or come from the compiler. It need not be expanded, because
  // roles neither signal nor wait. It must outlive the order. It takes linear time in the size of the
  // function.
  static Result<Order> of(const Function& function);

  // Calls visit(instruction, action, clock) for all instructions of a device, in an order that the graph
  // allows. The clock has the instructions that the graph orders before the visited instruction. Calls
  // end_of_compute() between `compute` and `apply`. Returns the first failure of these functions. It takes
  // linear time in the number of instructions of the device and of all instructions that signal, wait or
  // transfer.
  template <class Visit, class End>
  Status visit(size_t device, Visit&& visit, End&& end_of_compute) const;

 private:
  explicit Order(const Function& function) : f_(&function) {}

  const Function* f_;
  size_t happenings_ = 0;
  std::vector<Meeting> meetings_[2];  // of `compute` and of `apply`, in an order that the graph allows
};

template <class Visit, class End>
Status Order::visit(size_t device, Visit&& visit, End&& end_of_compute) const {
  const auto join = [](Clock& to, const Clock& from) {
    for (size_t q = 0; q < kQueues; ++q) to[q] = std::max(to[q], from[q]);
  };
  std::vector<Clock> clocks(f_->devices.size() * kQueues, Clock{}), happened(happenings_, Clock{});
  Clock before{};  // the instructions of the earlier lists
  for (const bool apply : {false, true}) {
    std::array<size_t, kQueues> next{};
    // Visits the instructions of a queue of the device up to `end`. The clock of a queue changes only at a
    // wait.
    const auto visit_until = [&](size_t q, size_t end) -> Status {
      const size_t queue = device * kQueues + q;
      for (; next[q] < end; ++next[q]) {
        const int64_t number = before[q] + static_cast<int64_t>(next[q]);
        clocks[queue][q] = number;
        CUTSET_TRY(visit(list_of(*f_, queue, apply)[next[q]],
                         Action{device, static_cast<int>(q), apply, next[q], number},
                         std::as_const(clocks[queue])));
      }
      clocks[queue][q] = before[q] + static_cast<int64_t>(end);
      return {};
    };
    for (const Meeting& m : meetings_[apply]) {
      const bool own = m.queue / kQueues == device;
      if (own) CUTSET_TRY(visit_until(m.queue % kQueues, m.gives ? m.index + 1 : m.index));
      if (m.gives)
        join(happened[m.happening], clocks[m.queue]);
      else
        join(clocks[m.queue], happened[m.happening]);
    }
    for (size_t q = 0; q < kQueues; ++q)
      CUTSET_TRY(visit_until(q, list_of(*f_, device * kQueues + q, apply).size()));
    for (size_t q = 0; q < kQueues; ++q) before[q] = clocks[device * kQueues + q][q];
    std::fill(clocks.begin(), clocks.end(), before);
    if (!apply) CUTSET_TRY(end_of_compute());
  }
  return {};
}

}  // namespace cutset::checks
