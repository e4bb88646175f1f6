#include "runtime/execute/action.h"

namespace cutset {

Status run_action(const OpenDevice& device, cutset_queue queue, const Action& a, uint64_t step) {
  const cutset_backend& api = device.api();
  const cutset_error* error = nullptr;
  const cutset_run run = {.size = sizeof run, .step = step};
  MessageHeader header = a.header;
  header.step = step;
  switch (a.kind) {
    case Instruction::Kind::kKernel:
      error = a.kernel->enqueue(queue, a.plan, a.in, a.out, a.scratch, &run);
      break;
    case Instruction::Kind::kCopy:
      error = api.copy(queue, &a.from, &a.to);
      break;
    case Instruction::Kind::kInput:
      error = api.write(queue, &a.to, static_cast<const char*>(*a.input) + a.offset);
      break;
    case Instruction::Kind::kOutput:
      error = api.read(queue, &a.from, a.output);
      break;
    case Instruction::Kind::kSignal:
      error = api.signal(queue, a.event, step);
      break;
    case Instruction::Kind::kWait:
      error = api.wait(queue, a.event, step);
      break;
    case Instruction::Kind::kSend:
      error = api.read(queue, &a.from, a.mailbox->staging());
      if (!error) error = api.finish(queue);
      if (!error) a.mailbox->post(header);
      break;
    case Instruction::Kind::kRecv:
      CUTSET_TRY(a.mailbox->take(header));
      error = api.write(queue, &a.to, a.mailbox->staging());
      break;
    case Instruction::Kind::kReduceStart:
      error = api.read(queue, &a.from, a.all_reduce->staging(a.partial));
      if (!error) error = api.finish(queue);
      if (!error) a.all_reduce->post(a.partial, header);
      break;
    case Instruction::Kind::kReduceWait:
      CUTSET_TRY(a.all_reduce->take(header));
      error = api.write(queue, &a.to, a.all_reduce->sum());
      break;
  }
  return error ? named_failure(device.status(error), a) : Status();
}

Status named_failure(Status status, const Action& a) {
  if (status.ok()) return status;
  Failure e = status.error();
  if (a.source && !a.source->op.empty())
    e.what = "'" + a.source->op + "'" + (a.source->layer.empty() ? "" : " of " + a.source->layer) + ": " + e.what;
  if (a.source) e.where = a.source->source;
  return e;
}

}  // namespace cutset
