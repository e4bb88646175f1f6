// SPDX-License-Identifier: Apache-2.0
// Helpers of the checks in this folder: error messages that name the place of a mistake, and an iteration
// over all instructions of a device.
#pragma once
#include <string>

#include "ir/core/result.h"
#include "runtime/program/program.h"

namespace cutset::checks {

// Returns a failure whose message is the name of the function and `what`: "'train': WHAT".
Failure wrong(const Function& f, const std::string& what);
// Returns the place of an instruction as text: "instruction 12 of the compute queue of cpu:0 ('matmul' of
// fc1)".
std::string place(const Function& f, size_t device, int queue, bool apply, size_t index);
// Returns `text`, or "?" if it has control characters. Text of an untrusted program must go through this
// function or is_printable before it is part of an error message.
std::string shown(const std::string& text);
// Fails if `text` has control characters.
Status printable(const std::string& text);
// Returns, for example, "device index 7 is out of range; the program has 2 devices".
std::string out_of_range(const std::string& thing, int64_t index, size_t size, const std::string& owner);

// Returns true if `list` has an element with this index.
template <class List>
bool within(int64_t index, const List& list) {
  return index >= 0 && index < static_cast<int64_t>(list.size());
}

// Calls f(instruction, queue, apply, index) for every instruction of a device. `apply` tells whether the
// instruction belongs to `apply` or to `compute`, and `index` is its index in this list. Returns the first
// failure of `f`.
template <class F>
Status for_each_instruction(const DevicePlan& plan, F&& f) {
  for (int q = 0; q < kQueues; ++q)
    for (const bool apply : {false, true}) {
      const auto& list = apply ? plan.queues[q].apply : plan.queues[q].compute;
      for (size_t i = 0; i < list.size(); ++i) CUTSET_TRY(f(list[i], q, apply, i));
    }
  return {};
}

}  // namespace cutset::checks
