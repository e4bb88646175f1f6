// SPDX-License-Identifier: Apache-2.0
// The instructions of a program's queues, as plain data.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ir/core/attributes.h"
#include "runtime/program/ids.h"

namespace cutset {

// Runs the kernel for the op of the instruction. The scratch memory that the kernel needs is no part of the
// program, because it depends on the machine: the executor reserves it when it loads the program.
struct RunKernel {
  std::string kernel;  // the name of the kernel
  Attributes attributes;
  std::vector<BufferId> operands, results;
};
// Copies a buffer to another buffer of the same device, for the new value of a variable or a tensor of a
// bucket.
struct CopyBuffer {
  BufferId from, to;
};
// The first row of a shard in a whole tensor: row `start` along dimension `dimension`. A scalar has row 0 of
// dimension 0.
struct FirstRow {
  int32_t dimension = 0;
  int64_t start = 0;
};
// Copies rows of an input of the function to a buffer, which has the sizes of the input in all other
// dimensions.
struct ReadInput {
  PortId input;
  FirstRow first = {};
  BufferId to;
};
// Copies a buffer to rows of an output of the function, which has the sizes of the buffer in all other
// dimensions.
struct WriteOutput {
  PortId output;
  FirstRow first = {};
  BufferId from;
};
struct Send {
  ChannelId channel;
  BufferId from;
};
struct Receive {
  ChannelId channel;
  BufferId to;
};
// Contributes a buffer to a collective as its partial sum number `partial`. The pieces are the tensors of a
// bucket: buffers inside `from`. Without pieces, `from` is the one tensor.
struct StartAllReduce {
  CollectiveId collective;
  int32_t partial = kNone;
  BufferId from;
  std::vector<BufferId> pieces = {};
};
// Waits for the sum of a collective and copies it to a buffer. The pieces are buffers inside `to`.
struct AwaitAllReduce {
  CollectiveId collective;
  BufferId to;
  std::vector<BufferId> pieces = {};
};
// Signals an event of the device when all earlier commands of the queue are done.
struct SignalEvent {
  EventId event;
};
// Holds the later commands of the queue back until the event is signalled.
struct AwaitEvent {
  EventId event;
};

// Runs a role on other buffers than its other calls. Only the compute list of a compute queue has such a
// command, and an expanded program (runtime/program/order/expand.h) has none.
struct CallRole {
  RoleId role;
  std::vector<FrameId> arguments;  // frames of the function, one per argument of the role
  int32_t shard = 0;               // the shard of the batch that the call computes
  int32_t end = kNone;  // of an addition of partial sums: the result is the sum over the shards [shard, end)
};

// A program file stores the index of the alternative, so a change of this list needs a new
// kProgramFileVersion.
using Command = std::variant<RunKernel, CopyBuffer, ReadInput, WriteOutput, Send, Receive, StartAllReduce,
                             AwaitAllReduce, SignalEvent, AwaitEvent, CallRole>;

// The names of what an instruction computes, and its place in a step.
struct InstructionNames {
  std::string
      op;  // the name of the op; for commands other than RunKernel, only error messages and traces show it
  std::string layer;   // the layer of the user, for people
  std::string source;  // the user's "file:line", for error messages
  // For traces: the kind of the role that computes it, "forward", "backward", "accumulate", "update" and so
  // on. A transfer has the role that computes what is sent, or that reads what is received. Empty: no role
  // does.
  std::string role;
  int32_t stage = kNone;  // the stage of the pipeline that computes it, numbered from 0; kNone: none does
  bool operator==(const InstructionNames&) const = default;
};
// Names that instructions share, because a program has many more instructions than names. Null: all names are
// empty, as for signals and waits.
using SharedNames = std::shared_ptr<const InstructionNames>;
SharedNames named(InstructionNames names);
SharedNames named(std::string op, std::string layer = "", std::string source = "");
// Returns the names, which are empty if `names` is null.
const InstructionNames& names_or_empty(const SharedNames& names);

// One command of a queue or of a role. All its buffers belong to the function and the device of the queue, or
// to the role.
struct Instruction {
  Command command;
  SharedNames names = {};  // the same for all instructions of an op

  const std::string& op() const { return names_or_empty(names).op; }
  const std::string& layer() const { return names_or_empty(names).layer; }
  const std::string& source() const { return names_or_empty(names).source; }
  const std::string& role() const { return names_or_empty(names).role; }
  int32_t stage() const { return names_or_empty(names).stage; }
  void set_op(std::string op) {
    InstructionNames renamed = names_or_empty(names);
    renamed.op = std::move(op);
    names = named(std::move(renamed));
  }

  template <class C>
  bool is() const {
    return std::holds_alternative<C>(command);
  }
  // Returns the command, or null if its kind is not C.
  template <class C>
  const C* as() const {
    return std::get_if<C>(&command);
  }
  template <class C>
  C* as() {
    return std::get_if<C>(&command);
  }

  // Return the buffers that the command reads, the buffers that it writes, and the tensors of its bucket.
  // They are members of the command, so a later change of the command invalidates the spans. The arguments of
  // a call are in none of them.
  std::span<BufferId> operands();
  std::span<BufferId> results();
  std::span<BufferId> pieces();
  std::span<const BufferId> operands() const { return const_cast<Instruction*>(this)->operands(); }
  std::span<const BufferId> results() const { return const_cast<Instruction*>(this)->results(); }
  std::span<const BufferId> pieces() const { return const_cast<Instruction*>(this)->pieces(); }
  // Returns the buffer that holds the pieces. The command must have pieces.
  BufferId bucket() const { return operands().empty() ? results()[0] : operands()[0]; }
};

// Returns the name of a kind of command, for people: "kernel", "all_reduce start".
const char* name_of(const Command& command);

}  // namespace cutset
