// A bound command is what an executor thread does for one instruction: a command of a program with the handles of a
// device.
#pragma once
#include "runtime/communicate/all_reduce.h"
#include "runtime/communicate/transport.h"
#include "runtime/device/open_device.h"
#include "runtime/program/host_rows.h"
#include "runtime/program/program.h"

namespace cutset {

struct Segment;

// The commands of a program (runtime/program/instruction.h) with the handles of a device. An executor thread runs a list
// of them without a search or an allocation. The executor sets the step of a header when it runs the command.
namespace bound {
struct RunKernel {
  const cutset_kernel* kernel = nullptr;
  cutset_plan plan = nullptr;
  // The operands, the results and the scratch memory; the function owns the arrays.
  const cutset_slice *in = nullptr, *out = nullptr, *scratch = nullptr;
};
struct CopyBuffer {
  cutset_slice from, to;
};
// A copy of rows that are not contiguous in the host tensor goes through staging memory, because a device copies between
// contiguous bytes. `staging` is null if they are contiguous.
struct ReadInput {
  const void** input = nullptr;  // points to the address of the input tensor of the current run
  HostRows rows;
  cutset_slice to;
  void* staging = nullptr;
};
struct WriteOutput {
  void* output = nullptr;  // the whole tensor
  HostRows rows;
  cutset_slice from;
  void* staging = nullptr;
};
struct Send {
  Mailbox* mailbox = nullptr;
  MessageHeader header;
  cutset_slice from;
};
struct Receive {
  Mailbox* mailbox = nullptr;
  MessageHeader header;
  cutset_slice to;
};
struct StartAllReduce {
  AllReduce* all_reduce = nullptr;
  size_t partial = 0;  // the index of the partial sum
  MessageHeader header;
  cutset_slice from;
};
struct AwaitAllReduce {
  AllReduce* all_reduce = nullptr;
  MessageHeader header;
  cutset_slice to;
};
struct SignalEvent {
  cutset_event event = nullptr;
};
struct AwaitEvent {
  cutset_event event = nullptr;
};
}  // namespace bound

struct BoundCommand {
  std::variant<bound::RunKernel, bound::CopyBuffer, bound::ReadInput, bound::WriteOutput, bound::Send, bound::Receive,
               bound::StartAllReduce, bound::AwaitAllReduce, bound::SignalEvent, bound::AwaitEvent>
      command;
  Segment* segment = nullptr;           // the segment that begins with this command (segment.h); null: none
  const Instruction* source = nullptr;  // the instruction, for error messages and traces
};

// Enqueues the command on `queue` as part of step `step`. Transfers and all-reduces also wait for messages and for
// copies to host memory, so these commands may block the calling thread. An error names the op, the layer and the line
// of the user.
Status run_command(const OpenDevice& device, cutset_queue queue, const BoundCommand& command, uint64_t step);

// Adds the op, the layer and the user's line of the command to a failure.
Status named_failure(Status status, const BoundCommand& command);

}  // namespace cutset
