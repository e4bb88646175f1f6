// SPDX-License-Identifier: Apache-2.0
#include "passes/emit/emit_device.h"

#include "passes/emit/buckets.h"
#include "passes/emit/in_place.h"
#include "passes/passes.h"
#include "passes/support/placement/value_origin.h"
#include "runtime/program/order/order_queues.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// Returns the first row of the shard that an input or an output copies.
template <class Op>
FirstRow first_row(Op op) {
  return {static_cast<int32_t>(op.getDimension()), static_cast<int64_t>(op.getStart())};
}

}  // namespace

DeviceEmitter::DeviceEmitter(const EmitContext& context) : code_(context), roles_(code_), called_(context) {}

Status DeviceEmitter::run(ir::ScheduleOp schedule) {
  for (Operation& action : schedule.getActions().front()) CUTSET_TRY(emit_action(&action));
  DeviceMemory::Region* region = region_.first > 0 ? &region_ : nullptr;
  if (region) region->bytes = called_.bytes();
  code_.pack(region);
  if (region) called_.place_at(region->offset);
  CUTSET_TRY(code_.memory.place_arguments(code_.plan.queues[static_cast<int>(Queue::kCompute)].compute));
  order_queues(code_.function, static_cast<size_t>(code_.device), code_.queues);
  return {};
}

Status DeviceEmitter::emit_action(Operation* action) {
  if (auto input = dyn_cast<ir::InputOp>(action)) {
    emit_incoming(action, [&](BufferId to, const auto&) -> Command {
      return ReadInput{code_.names.inputs.lookup(input.getName()), first_row(input), to};
    });
  } else if (auto recv = dyn_cast<ir::RecvOp>(action)) {
    emit_incoming(action, [&](BufferId to, const auto&) -> Command {
      return Receive{ChannelId(recv.getChannel()), to};
    });
  } else if (auto send = dyn_cast<ir::SendOp>(action)) {
    const BufferId from = code_.buffer_of.lookup(send.getValue());
    emit_outgoing(action, from, Send{ChannelId(send.getChannel()), from});
  } else if (auto output = dyn_cast<ir::OutputOp>(action)) {
    const BufferId from = code_.buffer_of.lookup(output.getValue());
    emit_outgoing(action, from,
                  WriteOutput{code_.names.outputs.lookup(output.getName()), first_row(output), from});
  } else if (auto start = dyn_cast<ir::AllReduceStartOp>(action)) {
    start_collective(start);
  } else if (auto wait = dyn_cast<ir::AllReduceWaitOp>(action)) {
    emit_incoming(action, [&](BufferId to, std::vector<BufferId> pieces) -> Command {
      return AwaitAllReduce{CollectiveId(wait.getCollective()), to, std::move(pieces)};
    });
  } else if (auto call = dyn_cast<ir::CallOp>(action)) {
    if (begins_turn(code_.names.roles.lookup<func::FuncOp>(call.getRoleAttr().getAttr())))
      code_.memory.begin_turn();
    CUTSET_TRY(call.getShard() ? emit_call(call) : roles_.emit_inline(call));
  } else if (auto unpack = dyn_cast<ir::UnpackOp>(action)) {
    const FrameId frame = frame_of_.lookup(unpack.getFrame());
    code_.memory.apart(frame);
    for (auto [value, b] : llvm::zip(unpack.getValues(), code_.function.frames[frame].buffers))
      code_.buffer_of[value] = b;
  } else if (isa<ir::CommitOp>(action)) {
    code_.applying = true;
  } else {
    return execution_failed("there is no instruction for the action '" +
                            action->getName().getStringRef().str() + "'");
  }
  return {};
}

// Emits an input, a recv or a wait for an all-reduce: the in queue writes the buffer.
void DeviceEmitter::emit_incoming(
    Operation* action, llvm::function_ref<Command(BufferId to, std::vector<BufferId> pieces)> command) {
  const Types types = ir::tensor_types(action->getResults());
  const BufferId bucket = code_.memory.new_buffer(bucket_type(types, code_.alignment), Storage::kArena);
  std::vector<BufferId> pieces;
  int64_t offset = 0;
  for (auto [i, value] : llvm::enumerate(action->getResults())) {
    const BufferId b = types.size() == 1 ? bucket : code_.memory.new_buffer(types[i], Storage::kArena);
    if (b != bucket) code_.memory.place_inside(b, bucket, offset);
    offset = next_in_bucket(offset, types[i], code_.alignment);
    code_.buffer_of[value] = b;
    code_.function.buffers[b].origin = origin_of(action, static_cast<unsigned>(i));
    if (b != bucket) pieces.push_back(b);
  }
  code_.append(Queue::kIn, code_.make.make(command(bucket, std::move(pieces)), action));
  code_.memory.receive(bucket);
  const Buffer& arrived = code_.function.buffers[bucket];
  if (arrived.origin.number == kNone || arrived.origin.layout == kWholeValue) return;
  const auto [group, first] =
      arrivals_.try_emplace({arrived.origin.number, arrived.type.bytes()}, next_group_);
  next_group_ += first;
  code_.memory.owned(bucket).group = group->second;
}

// Emits a send or an output: the out queue reads the buffer.
void DeviceEmitter::emit_outgoing(Operation* action, BufferId from, Command command) {
  code_.memory.send(from);
  code_.append(Queue::kOut, code_.make.make(std::move(command), action));
}

// Emits the start of an all-reduce. A single tensor is read from its own buffer. Several tensors are placed
// in one buffer, so that one transfer takes all of them.
void DeviceEmitter::start_collective(ir::AllReduceStartOp start) {
  StartAllReduce command{.collective = CollectiveId(start.getCollective())};
  const auto& partials = code_.function.collectives[command.collective].partials;
  for (size_t p = 0; p < partials.size(); ++p)
    if (partials[p].first == start.getShards()[0]) command.partial = static_cast<int32_t>(p);
  if (start.getValues().size() == 1) {
    command.from = code_.buffer_of.lookup(start.getValues()[0]);
    return emit_outgoing(start, command.from, command);
  }
  const Types types = ir::tensor_types(start.getValues());
  const uint64_t alignment = code_.alignment;
  command.from = code_.memory.new_buffer(bucket_type(types, alignment), Storage::kArena);
  int64_t offset = 0;
  for (auto [value, type] : llvm::zip(start.getValues(), types)) {
    command.pieces.push_back(place_in_bucket(code_.buffer_of.lookup(value), type, command.from, offset));
    offset = next_in_bucket(offset, type, alignment);
  }
  emit_outgoing(start, command.from, std::move(command));
}

// Makes the kernel that computes the tensor write it to the bucket. A tensor that cannot be placed in the
// bucket, such as a constant or a tensor in two buckets, is copied.
BufferId DeviceEmitter::place_in_bucket(BufferId tensor, const TensorType& type, BufferId bucket,
                                        int64_t offset) {
  const DeviceMemory::Owned& owned = code_.memory.owned(tensor);
  const Buffer& memory = code_.function.buffers[code_.memory.root(tensor)];
  const bool can_move = memory.storage == Storage::kArena && owned.computed && owned.sent_in < 0 &&
                        memory.type.bytes() == type.bytes();
  BufferId piece = tensor;
  if (!can_move) {
    piece = code_.memory.new_buffer(type, Storage::kArena);
    code_.copy(tensor, piece);
  }
  code_.memory.place_inside(piece, bucket, offset);
  return piece;
}

Status DeviceEmitter::emit_call(ir::CallOp call) {
  DeviceMemory& memory = code_.memory;
  CUTSET_ASSIGN(const CalledRoles::Called* found, called_.find_or_emit(call, next_group_));
  const CalledRoles::Called role = *found;  // `leaves` may emit roles, which moves `*found`
  CallRole command{.role = role.id, .shard = static_cast<int32_t>(*call.getShard())};
  if (const auto end = call.getEnd()) command.end = static_cast<int32_t>(*end);
  command.arguments.reserve(call.getArguments().size() + call.getValues().size());
  region_.last = memory.advance();
  if (region_.first == 0) region_.first = region_.last;
  for (Value v : call.getArguments()) {
    const FrameId frame =
        isa<TupleType>(v.getType()) ? frame_of_.lookup(v) : memory.frame_of(code_.buffer_of.lookup(v));
    memory.use(frame);
    command.arguments.push_back(frame);
  }
  for (auto [i, value] : llvm::enumerate(call.getValues())) {
    const auto operand = role.in_place[i];
    FrameId overwritten;
    if (operand && may_overwrite(call, *operand)) overwritten = command.arguments[*operand];
    CUTSET_ASSIGN(const FrameId frame,
                  frame_of_result(value, overwritten, role.first_group + static_cast<int64_t>(i)));
    memory.use(frame);
    command.arguments.push_back(frame);
  }
  memory.use_together(command.arguments);
  code_.append(Queue::kCompute, code_.make.make(std::move(command), call));
  return {};
}

Result<FrameId> DeviceEmitter::frame_of_result(Value result, FrameId overwritten, int64_t group) {
  DeviceMemory& memory = code_.memory;
  if (!isa<TupleType>(result.getType())) {
    BufferId b;
    if (overwritten.is_set()) {
      b = code_.function.frames[overwritten].buffers.front();
    } else {
      b = memory.new_buffer(*ir::tensor_type(result.getType()), Storage::kArena);
      memory.owned(b).group = group;
    }
    memory.owned(b).computed = true;
    code_.buffer_of[result] = b;
    return memory.frame_of(b);
  }
  FrameId frame = overwritten;
  if (!frame.is_set()) {
    CUTSET_ASSIGN(const bool leaves, called_.leaves(result, next_group_));
    frame = memory.new_frame(leaves ? -1 : group, [type = result.getType()] {
      Types types;
      for (Type t : ir::element_types(type)) types.push_back(*ir::tensor_type(t));
      return types;
    });
  }
  frame_of_[result] = frame;
  return frame;
}

}  // namespace cutset::passes
