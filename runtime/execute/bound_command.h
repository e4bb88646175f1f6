// SPDX-License-Identifier: Apache-2.0
// A bound command is what the thread of a queue does for one instruction: a command of a program with the
// handles of a device.
#pragma once
#include "runtime/communicate/transport.h"
#include "runtime/device/open_device.h"
#include "runtime/program/host_rows.h"
#include "runtime/program/program.h"

namespace cutset {

class Landing;
struct Segment;

// The commands of a program (runtime/program/instruction.h) with the handles of a device. The thread of a
// queue runs a list of them without a search or an allocation. The header of a message gets its epoch and its
// step when the command runs.
namespace bound {
struct RunKernel {
  const cutset_kernel* kernel = nullptr;
  cutset_plan plan = nullptr;
  // The operands, the results and the slice of the scratch memory, in this order in one array that the
  // function owns.
  const cutset_slice *in = nullptr, *out = nullptr, *scratch = nullptr;
};
struct CopyBuffer {
  cutset_slice from, to;
};
// A copy of rows that are not contiguous in the host tensor goes through staging memory, because a device
// copies between contiguous bytes. `staging` is null if they are contiguous.
struct ReadInput {
  const void** input = nullptr;  // points to the address of the input tensor of the current run
  HostRows rows;
  cutset_slice to;
  void* staging = nullptr;
  // Points to the pointer to the landing of the current run. Part number `part` of the landing has the bytes.
  // Null: the input is never copied ahead. If the pointer that this points to is null, no input of the
  // current run was copied ahead.
  const Landing* const* landing = nullptr;
  size_t part = 0;
};
struct WriteOutput {
  void* const* output = nullptr;  // points to the address of the output tensor of the current run
  HostRows rows;
  cutset_slice from;
  void* staging = nullptr;
};
struct Send {
  Link* link = nullptr;
  size_t slot = 0;
  MessageHeader header;
  cutset_slice from;
};
struct Receive {
  Link* link = nullptr;
  size_t slot = 0;
  MessageHeader header;
  cutset_slice to;
};
struct StartAllReduce {
  Group* group = nullptr;
  size_t partial = 0;  // the index of the partial sum
  MessageHeader header;
  cutset_slice from;
};
struct AwaitAllReduce {
  Group* group = nullptr;
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
  std::variant<bound::RunKernel, bound::CopyBuffer, bound::ReadInput, bound::WriteOutput, bound::Send,
               bound::Receive, bound::StartAllReduce, bound::AwaitAllReduce, bound::SignalEvent,
               bound::AwaitEvent>
      command;
  Segment* segment = nullptr;           // the segment that begins with this command (segment.h); null: none
  const Instruction* source = nullptr;  // the instruction, for error messages and traces
};

// The run of a function to which a command belongs.
struct Run {
  uint64_t step = 0;   // the number of the run among all runs of the session
  uint64_t epoch = 0;  // the epoch of the transport
  const Clock* clock = nullptr;
  Clock::Time peer_timeout = Clock::kNever;  // how long a transfer waits for another device
};

// Enqueues the command on `queue` as part of `run`. Transfers and all-reduces also wait for messages and for
// copies to host memory, so these commands may block the calling thread. An error names the device, the op,
// the layer and the line of the user.
Status run_command(const OpenDevice& device, cutset_queue queue, const BoundCommand& command, const Run& run);

// Adds the op, the layer and the user's line of the command to a failure.
Status named_failure(Status status, const BoundCommand& command);

}  // namespace cutset
