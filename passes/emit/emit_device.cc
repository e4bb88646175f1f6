// SPDX-License-Identifier: Apache-2.0
#include "passes/emit/emit_device.h"

#include <set>

#include "passes/emit/buckets.h"
#include "passes/emit/called_roles.h"
#include "passes/emit/constants.h"
#include "passes/emit/in_place.h"
#include "passes/passes.h"
#include "passes/support/placement/value_origin.h"
#include "runtime/program/order/order_queues.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// The first row of the shard that an input or an output copies.
template <class Op>
FirstRow first_row(Op op) {
  return {static_cast<int32_t>(op.getDimension()), static_cast<int64_t>(op.getStart())};
}

}  // namespace

DeviceEmitter::DeviceEmitter(const Names& names, Program& program, Function& function, int32_t device,
                             const DeviceDescription& description, uint64_t alignment)
    : names_(names),
      program_(program),
      function_(function),
      device_(device),
      description_(description),
      alignment_(alignment),
      plan_(function.devices[static_cast<size_t>(device)]),
      memory_(function, device),
      make_(names.roles, names.stages) {}
DeviceEmitter::~DeviceEmitter() = default;

void DeviceEmitter::append(Queue queue, Instruction instruction) {
  Sequence& s = plan_.queues[static_cast<int>(queue)];
  (applying_ ? s.apply : s.compute).push_back(std::move(instruction));
  if (!applying_) queues_.push_back(queue);
}

BufferId DeviceEmitter::new_buffer_of(const TensorType& type, VariableId variable) {
  const BufferId id = memory_.new_buffer(type, Storage::kVariable);
  function_.buffers[id].variable = variable;
  return id;
}

Result<VariableId> DeviceEmitter::find_variable(StringRef name) const {
  auto it = names_.variables.find(name);
  if (it == names_.variables.end()) return execution_failed("there is no variable @" + name.str());
  return it->second;
}

// Emits an input, a recv or a wait for an all-reduce: the in queue writes the buffer.
void DeviceEmitter::emit_incoming(
    Operation* action, llvm::function_ref<Command(BufferId to, std::vector<BufferId> pieces)> command) {
  const Types types = ir::tensor_types(action->getResults());
  const BufferId whole = memory_.new_buffer(bucket_type(types, alignment_), Storage::kArena);
  std::vector<BufferId> pieces;
  int64_t offset = 0;
  for (auto [i, value] : llvm::enumerate(action->getResults())) {
    const BufferId b = types.size() == 1 ? whole : memory_.new_buffer(types[i], Storage::kArena);
    if (b != whole) memory_.place_inside(b, whole, offset);
    offset = next_in_bucket(offset, types[i], alignment_);
    buffer_of_[value] = b;
    function_.buffers[b].origin = origin_of(action, static_cast<unsigned>(i));
    if (b != whole) pieces.push_back(b);
  }
  append(Queue::kIn, make_.make(command(whole, std::move(pieces)), action));
  memory_.receive(whole);
  const Buffer& arrived = function_.buffers[whole];
  if (arrived.origin.number == kNone || arrived.origin.layout == kWholeValue) return;
  const auto [known, first] =
      arrivals_.try_emplace({arrived.origin.number, arrived.type.bytes()}, next_group_);
  next_group_ += first;
  memory_.owned(whole).group = known->second;
}

// Emits a send or an output: the out queue reads the buffer.
void DeviceEmitter::emit_outgoing(Operation* action, BufferId from, Command command) {
  memory_.send(from);
  append(Queue::kOut, make_.make(std::move(command), action));
}

// Emits the start of an all-reduce. A single tensor is read from its own buffer. Several tensors are placed
// in one buffer, so that one transfer takes all of them, and their kernels write to that buffer. A tensor
// that cannot be placed there, such as a constant or a tensor in two buckets, is copied.
void DeviceEmitter::start_collective(ir::AllReduceStartOp start) {
  StartAllReduce command{.collective = CollectiveId(start.getCollective())};
  const auto& partials = function_.collectives[command.collective].partials;
  for (size_t p = 0; p < partials.size(); ++p)
    if (partials[p].first == start.getShards()[0]) command.partial = static_cast<int32_t>(p);
  if (start.getValues().size() == 1) {
    command.from = buffer_of_.lookup(start.getValues()[0]);
    return emit_outgoing(start, command.from, command);
  }
  const Types types = ir::tensor_types(start.getValues());
  const BufferId whole = memory_.new_buffer(bucket_type(types, alignment_), Storage::kArena);
  command.from = whole;
  int64_t offset = 0;
  for (auto [value, type] : llvm::zip(start.getValues(), types)) {
    const BufferId b = buffer_of_.lookup(value);
    const DeviceMemory::Owned& l = memory_.owned(b);
    const Buffer& its_memory = function_.buffers[root(b)];
    const bool can_move = its_memory.storage == Storage::kArena && l.computed && l.sent_in < 0 &&
                          its_memory.type.bytes() == type.bytes();
    if (can_move) {
      memory_.place_inside(b, whole, offset);
      command.pieces.push_back(b);
    } else {
      memory_.advance();
      memory_.use(b);
      const BufferId slot = memory_.new_buffer(type, Storage::kArena);
      memory_.use(slot);
      memory_.place_inside(slot, whole, offset);
      command.pieces.push_back(slot);
      append(Queue::kCompute, {.command = CopyBuffer{b, slot}});
    }
    offset = next_in_bucket(offset, type, alignment_);
  }
  emit_outgoing(start, whole, std::move(command));
}

Status DeviceEmitter::run(ir::ScheduleOp schedule) {
  for (Operation& action : schedule.getActions().front()) {
    if (auto input = dyn_cast<ir::InputOp>(action)) {
      emit_incoming(&action, [&](BufferId to, const auto&) -> Command {
        return ReadInput{names_.inputs.lookup(input.getName()), first_row(input), to};
      });
    } else if (auto recv = dyn_cast<ir::RecvOp>(action)) {
      emit_incoming(&action, [&](BufferId to, const auto&) -> Command {
        return Receive{ChannelId(recv.getChannel()), to};
      });
    } else if (auto send = dyn_cast<ir::SendOp>(action)) {
      const BufferId from = buffer_of_.lookup(send.getValue());
      emit_outgoing(&action, from, Send{ChannelId(send.getChannel()), from});
    } else if (auto output = dyn_cast<ir::OutputOp>(action)) {
      const BufferId from = buffer_of_.lookup(output.getValue());
      emit_outgoing(&action, from,
                    WriteOutput{names_.outputs.lookup(output.getName()), first_row(output), from});
    } else if (auto start = dyn_cast<ir::AllReduceStartOp>(action)) {
      start_collective(start);
    } else if (auto wait = dyn_cast<ir::AllReduceWaitOp>(action)) {
      emit_incoming(&action, [&](BufferId to, std::vector<BufferId> pieces) -> Command {
        return AwaitAllReduce{CollectiveId(wait.getCollective()), to, std::move(pieces)};
      });
    } else if (auto call = dyn_cast<ir::CallOp>(action)) {
      if (begins_turn(names_.roles.lookup<func::FuncOp>(call.getRoleAttr().getAttr()))) memory_.begin_turn();
      CUTSET_TRY(call.getShard() ? emit_call(call) : emit_role(call));
    } else if (auto unpack = dyn_cast<ir::UnpackOp>(action)) {
      const FrameId frame = frame_of_.lookup(unpack.getFrame());
      memory_.apart(frame);
      for (auto [value, b] : llvm::zip(unpack.getValues(), function_.frames[frame].buffers))
        buffer_of_[value] = b;
    } else if (isa<ir::CommitOp>(action)) {
      applying_ = true;
    } else {
      return execution_failed("there is no instruction for the action '" +
                              action.getName().getStringRef().str() + "'");
    }
  }
  DeviceMemory::Region* region = called_ ? &region_ : nullptr;
  if (region) region->bytes = called_->bytes();
  pack(region);
  if (region) called_->place_at(region->offset);
  CUTSET_TRY(memory_.place_arguments(plan_.queues[static_cast<int>(Queue::kCompute)].compute));
  order_queues(function_, static_cast<size_t>(device_), queues_);
  return {};
}

VariableId DeviceEmitter::variable_in(BufferId buffer) const {
  return function_.buffers[root(buffer)].variable;
}

void DeviceEmitter::emit_copy(BufferId from, BufferId to) {
  memory_.advance();
  memory_.use(from), memory_.use(to);
  append(Queue::kCompute, {.command = CopyBuffer{from, to}});
}

Status DeviceEmitter::emit_role(ir::CallOp call) {
  auto function = names_.roles.lookup<func::FuncOp>(call.getRoleAttr().getAttr());
  for (auto [argument, value] : llvm::zip(function.getArguments(), call.getArguments()))
    buffer_of_[argument] = buffer_of_.lookup(value);
  // An argument from an earlier role may be a view of the memory of a variable. That variable is not updated
  // in place.
  std::set<VariableId> viewed;
  for (Value argument : function.getArguments())
    if (const VariableId v = variable_in(buffer_of_.lookup(argument)); v.is_set()) viewed.insert(v);
  llvm::DenseMap<Value, VariableId> updated;
  for (auto [value, name] : updates_in_place(function))
    if (auto index = find_variable(name.getValue()); index && !viewed.contains(*index))
      updated[value] = *index;
  SmallVector<std::pair<BufferId, BufferId>> copies;  // emitted after all kernels of the role
  for (Operation& o : function.getBody().front().without_terminator()) {
    if (auto assign = dyn_cast<ir::AssignOp>(o)) {
      if (updated.contains(assign.getValue())) continue;
      CUTSET_ASSIGN(const VariableId variable, find_variable(assign.getVariable()));
      const BufferId from = buffer_of_.lookup(assign.getValue());
      copies.emplace_back(from, new_buffer_of(function_.buffers[from].type, variable));
    } else {
      CUTSET_TRY(emit_op(&o, updated));
    }
  }
  for (auto& [from, to] :
       copies) {  // keep the old value of a variable if another copy may overwrite it first
    if (copies.size() == 1 || !variable_in(from).is_set()) continue;
    const BufferId kept = memory_.new_buffer(function_.buffers[from].type, Storage::kArena);
    emit_copy(from, kept);
    from = kept;
  }
  for (auto [from, to] : copies) emit_copy(from, to);
  for (auto [result, value] :
       llvm::zip(call.getValues(), function.getBody().front().getTerminator()->getOperands()))
    buffer_of_[result] = buffer_of_.lookup(value);
  return {};
}

Result<Role> DeviceEmitter::run_role(func::FuncOp function, ir::CallOp call) {
  Role role{.name = function.getName().str(), .device = device_};
  std::vector<BufferId> given, returned;
  for (BlockArgument argument : function.getArguments()) {
    const BufferId b = memory_.new_buffer(*ir::tensor_type(argument.getType()), Storage::kParameter);
    buffer_of_[argument] = b;
    given.push_back(b);
  }
  for (Operation& o : function.getBody().front().without_terminator())
    CUTSET_TRY(emit_op(&o, llvm::DenseMap<Value, VariableId>()));
  for (Value value : function.getBody().front().getTerminator()->getOperands()) {
    BufferId b = buffer_of_.lookup(value);
    if (function_.buffers[b].storage == Storage::kArena && root(b) == b) {
      function_.buffers[b].storage = Storage::kParameter;
      for (BufferId view : memory_.views_of(b)) function_.buffers[view].storage = Storage::kParameter;
    } else {  // an argument, a view, a constant, a variable, or a value that is returned twice
      const BufferId result = memory_.new_buffer(*ir::tensor_type(value.getType()), Storage::kParameter);
      function_.buffers[result].origin = function_.buffers[b].origin;
      emit_copy(b, result);
      b = result;
    }
    returned.push_back(b);
  }
  const auto group = [&](const std::vector<BufferId>& list, TypeRange types) {
    for (auto next = list.begin(); Type type : types) {
      const auto end = next + ir::number_of_elements(type);
      role.parameters.emplace_back(std::exchange(next, end), end);
    }
  };
  group(given, call.getArguments().getTypes());
  group(returned, call.getValues().getTypes());
  pack(nullptr);
  role.buffers = std::move(function_.buffers);
  role.body = std::move(plan_.queues[static_cast<int>(Queue::kCompute)].compute);
  return role;
}

Status DeviceEmitter::emit_call(ir::CallOp call) {
  if (!called_)
    called_ = std::make_unique<CalledRoles>(names_, program_, function_, device_, description_, alignment_);
  CUTSET_ASSIGN(const CalledRoles::Called* found, called_->find_or_emit(call, next_group_));
  const CalledRoles::Called role = *found;  // `leaves` asks for the roles of other calls, which may move it
  CallRole command{.role = role.id, .shard = static_cast<int32_t>(*call.getShard())};
  if (const auto end = call.getEnd()) command.end = static_cast<int32_t>(*end);
  command.arguments.reserve(call.getArguments().size() + call.getValues().size());
  region_.last = memory_.advance();
  if (region_.first == 0) region_.first = region_.last;
  for (Value v : call.getArguments()) {
    const FrameId frame =
        isa<TupleType>(v.getType()) ? frame_of_.lookup(v) : memory_.frame_of(buffer_of_.lookup(v));
    memory_.use(frame);
    command.arguments.push_back(frame);
  }
  for (auto [i, value] : llvm::enumerate(call.getValues())) {
    const auto operand = role.in_place[i];
    const bool in_place = operand && may_overwrite(call, *operand);
    FrameId frame;
    if (!isa<TupleType>(value.getType())) {
      BufferId b;
      if (in_place) {
        b = buffer_of_.lookup(call.getArguments()[*operand]);
      } else {
        b = memory_.new_buffer(*ir::tensor_type(value.getType()), Storage::kArena);
        memory_.owned(b).group = role.first_group + static_cast<int64_t>(i);
      }
      memory_.owned(b).computed = true;
      buffer_of_[value] = b;
      frame = memory_.frame_of(b);
    } else {
      if (in_place) {
        frame = command.arguments[*operand];
      } else {
        CUTSET_ASSIGN(const bool leaves, called_->leaves(value, next_group_));
        const int64_t group = leaves ? -1 : role.first_group + static_cast<int64_t>(i);
        frame = memory_.new_frame(group, [type = value.getType()] {
          Types types;
          for (Type t : ir::element_types(type)) types.push_back(*ir::tensor_type(t));
          return types;
        });
      }
      frame_of_[value] = frame;
    }
    memory_.use(frame);
    command.arguments.push_back(frame);
  }
  memory_.use_together(command.arguments);
  append(Queue::kCompute, make_.make(std::move(command), call));
  return {};
}

Status DeviceEmitter::emit_op(Operation* o, const llvm::DenseMap<Value, VariableId>& updated) {
  if (auto read = dyn_cast<ir::ReadOp>(o)) {
    CUTSET_ASSIGN(const VariableId variable, find_variable(read.getVariable()));
    const BufferId b = new_buffer_of(*ir::tensor_type(read.getValue().getType()), variable);
    function_.buffers[b].origin = origin_of(o);
    buffer_of_[read.getValue()] = b;
    return {};
  }
  if (isa<ir::TypeOnlyOp>(o)) {
    buffer_of_[o->getResult(0)] =
        memory_.new_buffer(*ir::tensor_type(o->getResult(0).getType()), Storage::kTypeOnly);
    return {};
  }
  if (auto constant = dyn_cast<ir::ConstantOp>(o)) {
    CUTSET_ASSIGN(Constant c, constant_of(constant, device_));
    const BufferId b = memory_.new_buffer(c.type, Storage::kConstant);
    function_.buffers[b].constant = program_.constants.next();
    function_.buffers[b].origin = origin_of(o);
    buffer_of_[constant] = b;
    program_.constants.push_back(std::move(c));
    return {};
  }
  auto rules = dyn_cast<ir::CutsetOpInterface>(o);
  if (!rules)
    return execution_failed("there is no instruction for the op '" + o->getName().getStringRef().str() + "'");
  if (rules.op_info().view) {
    const BufferId view =
        memory_.new_view(buffer_of_.lookup(o->getOperand(0)), *ir::tensor_type(o->getResult(0).getType()));
    function_.buffers[view].origin = origin_of(o);
    buffer_of_[o->getResult(0)] = view;
    return {};
  }
  return emit_kernel(o, updated);
}

Status DeviceEmitter::emit_kernel(Operation* o, const llvm::DenseMap<Value, VariableId>& updated) {
  const OpInfo& info = cast<ir::CutsetOpInterface>(o).op_info();
  auto name = o->getAttrOfType<StringAttr>(kKernel);
  const cutset_kernel* chosen = name ? description_.find_kernel(name.str()) : nullptr;
  if (!chosen)
    return execution_failed("op '" + std::string(info.name) + "' has no kernel: it was not lowered");
  memory_.advance();
  RunKernel i{.kernel = name.str(), .attributes = ir::attributes_of(o)};
  const Types in = ir::tensor_types(o->getOperands()), out = ir::tensor_types(o->getResults());
  for (Value v : o->getOperands()) {
    const BufferId b = buffer_of_.lookup(v);
    i.operands.push_back(b);
    if (function_.buffers[b].storage != Storage::kTypeOnly) memory_.use(b);
  }
  for (auto [r, value] : llvm::enumerate(o->getResults())) {
    auto in_place = updated.find(value);
    const BufferId b = in_place == updated.end() ? memory_.new_buffer(out[r], Storage::kArena)
                                                 : new_buffer_of(out[r], in_place->second);
    buffer_of_[value] = b;
    function_.buffers[b].origin = origin_of(o, static_cast<unsigned>(r));
    i.results.push_back(b);
    memory_.use(b);
  }
  const auto [known, first] = scratch_.try_emplace(ProblemKey{chosen, i.attributes, in, out}, 0);
  if (first) {
    CUTSET_ASSIGN(known->second, description_.scratch(chosen, info, ir::flat_attributes(o).data(), in, out));
  }
  if (const uint64_t bytes = known->second; bytes > 0) {
    i.scratch = memory_.new_buffer({DType::u8, {static_cast<int64_t>(bytes)}}, Storage::kArena);
    memory_.use(i.scratch);
  }
  for (BufferId b : i.results) memory_.owned(b).computed = true;
  if (auto names =
          o->getAttrOfType<ArrayAttr>(kFinite)) {  // the host reads the flag after all queues are done
    memory_.owned(i.results[0]).until_end = true;
    FiniteCheck check{device_, i.results[0], {}};
    for (auto [b, what] : llvm::zip(i.operands, names.getAsValueRange<StringAttr>()))
      check.tensors.push_back({b, what.str()});
    function_.checks.push_back(std::move(check));
  }
  append(Queue::kCompute, make_.make(std::move(i), o));
  return {};
}

void DeviceEmitter::pack(DeviceMemory::Region* region) {
  const Packing packing = memory_.pack(std::max<uint64_t>(description_.info().alignment, 1), region);
  plan_.arena_bytes = packing.bytes;
  plan_.lower_bound_bytes = packing.lower_bound;
}

}  // namespace cutset::passes
