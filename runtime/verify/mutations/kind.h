// SPDX-License-Identifier: Apache-2.0
// What a kind of mutation is: where it can be made, and how it changes a program. Each file of this folder
// defines the kinds of one idea, and runtime/verify/mutate.cc makes the mutants.
#pragma once
#include <set>

#include "runtime/device/device.h"
#include "runtime/program/program.h"

namespace cutset::mutations {

using List = std::vector<Instruction>;

// An instruction of an expanded program, with the parts of the program that contain it.
struct At {
  Program& program;
  Function& function;
  DevicePlan& plan;
  int32_t device;
  const DeviceDescription& description;
  List& list;
  size_t index;
  Instruction& instruction() const { return list[index]; }
  RunKernel* kernel() const { return list[index].as<RunKernel>(); }
  Buffer& buffer(BufferId b) const { return function.buffers[b]; }
};

// What a mutation has changed. This determines the instructions at which its effect may be seen first.
struct Effect {
  // The buffers whose values are wrong. The search begins with the results and pieces of the instruction.
  std::set<BufferId> touched;
  size_t changed = 1;              // how many instructions, from the site on, were changed or inserted
  std::set<size_t> others;         // other instructions of the same list that were changed
  std::set<CollectiveId> started;  // sums to which a wrong value is added
  std::set<ChannelId> sent;        // channels through which a wrong value is sent
  bool moved_to_apply = false;     // the instruction is now the last one of `apply` of its queue
  bool variables_change = false;   // the instructions that write the touched buffers write other variables
  bool seen_in_variables = false;  // the effect is seen only in the variables that the instruction writes
};

struct Kind {
  // Returns in how many ways the mutation can be made at an instruction; 0: it cannot be made.
  size_t (*ways)(const At& at);
  // Makes the mutation in the way number `choice`. The instruction may be moved or removed.
  void (*make)(const At& at, size_t choice, Effect& effect);
};

// Whether the instruction is a kernel that updates an operand: the update of a variable, or the addition to a
// sum.
bool updates(const Instruction& instruction);
// Returns the buffer whose memory the buffer uses, which may be itself.
BufferId root(const Function& function, BufferId buffer);
// Whether a buffer is one of `these`, a view of the same buffer, or the same variable. Equal offsets do not
// count, because the memory of an arena is reused.
bool lies_in(const Function& function, BufferId buffer, const std::set<BufferId>& these);

}  // namespace cutset::mutations
