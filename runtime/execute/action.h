// What an executor thread does for one instruction: a list of actions is a sequence of a program that is bound to the
// handles of a device.
#pragma once
#include "runtime/communicate/all_reduce.h"
#include "runtime/communicate/transport.h"
#include "runtime/device/open_device.h"
#include "runtime/program/program.h"

namespace cutset {

struct Segment;

// An instruction that is bound to the handles of a device. An executor thread runs a list of actions without a search
// or an allocation. The members that an instruction of this kind does not use are null or 0.
struct Action {
  Instruction::Kind kind = Instruction::Kind::kKernel;
  const cutset_kernel* kernel = nullptr;  // kKernel
  cutset_plan plan = nullptr;             // kKernel
  // kKernel: the operands, the results and the scratch memory; the function owns the arrays.
  const cutset_slice *in = nullptr, *out = nullptr, *scratch = nullptr;
  cutset_event event = nullptr;         // kSignal, kWait
  cutset_slice from = {}, to = {};      // the first operand and the first result
  const void** input = nullptr;         // kInput: points to the address of the input tensor of the current run
  uint64_t offset = 0;                  // kInput: the first byte to copy from that tensor
  void* output = nullptr;               // kOutput: the host memory to copy to
  Mailbox* mailbox = nullptr;           // kSend, kRecv
  AllReduce* all_reduce = nullptr;      // kReduceStart, kReduceWait
  size_t partial = 0;                   // kReduceStart: the index of the partial sum
  MessageHeader header;                 // kSend, kRecv, kReduceStart, kReduceWait; run_action sets its step
  Segment* segment = nullptr;           // the segment that begins with this action (segment.h); null: none
  const Instruction* source = nullptr;  // the instruction, for error messages and traces
};

// Enqueues the action on `queue` as part of step `step`. Transfers and all-reduces also wait for messages and for
// copies to host memory, so these actions may block the calling thread. An error names the op, the layer and the line
// of the user.
Status run_action(const OpenDevice& device, cutset_queue queue, const Action& action, uint64_t step);

// Adds the op, the layer and the user's line of the action to a failure.
Status named_failure(Status status, const Action& action);

}  // namespace cutset
