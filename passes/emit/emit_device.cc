#include "passes/emit/emit_device.h"

#include <set>

#include "graph/pack_arena.h"
#include "ir/core/rows.h"
#include "passes/emit/buckets.h"
#include "passes/emit/called_roles.h"
#include "passes/emit/constants.h"
#include "passes/emit/in_place.h"
#include "passes/emit/make_instruction.h"
#include "passes/passes.h"
#include "passes/support/value_origin.h"

using namespace mlir;

namespace cutset::passes {

DeviceEmitter::DeviceEmitter(const Names& names, Program& program, Function& function, int32_t device,
                             const DeviceDescription& description, uint64_t alignment)
    : names_(names),
      program_(program),
      function_(function),
      device_(device),
      description_(description),
      alignment_(alignment),
      plan_(function.devices[static_cast<size_t>(device)]) {}
DeviceEmitter::~DeviceEmitter() = default;

std::vector<Instruction>& DeviceEmitter::instructions(Queue queue) {
  Sequence& s = plan_.queues[static_cast<int>(queue)];
  return applying_ ? s.apply : s.compute;
}

BufferId DeviceEmitter::new_buffer(const TensorType& type, Storage storage) {
  const BufferId id = function_.buffers.next();
  function_.buffers.push_back({.device = device_, .storage = storage, .type = type});
  root_.resize(function_.buffers.size());
  offset_in_.resize(function_.buffers.size());
  live_ranges_.resize(function_.buffers.size());
  root_.back() = id;
  return id;
}

BufferId DeviceEmitter::new_buffer_of(const TensorType& type, VariableId variable) {
  const BufferId id = new_buffer(type, Storage::kVariable);
  function_.buffers[id].variable = variable;
  return id;
}

Result<VariableId> DeviceEmitter::find_variable(StringRef name) const {
  auto it = names_.variables.find(name);
  if (it == names_.variables.end()) return execution_failed("there is no variable @" + name.str());
  return it->second;
}

void DeviceEmitter::mark_use(BufferId buffer) {
  LiveRange& l = live_range(buffer);
  if (l.first < 0) l.first = position_;
  l.last = position_;
  if (l.incoming && !l.awaited) {
    instructions(Queue::kCompute).push_back({.command = AwaitEvent{l.ready_event}});
    l.awaited = true;
  }
}

void DeviceEmitter::place_inside(BufferId buffer, BufferId whole, int64_t offset) {
  const BufferId old = root(buffer);
  const int64_t base = offset - offset_in_[buffer.index()];
  auto views = std::move(views_[old]);  // these buffers move together with `buffer`
  views_.erase(old);
  if (root(old) == old) views.push_back(old);
  for (BufferId b : views) root_[b.index()] = whole, offset_in_[b.index()] += base;
  llvm::append_range(views_[whole], views);
}

// Emits an input, a recv or a wait for an all-reduce: the in queue writes the buffer and signals an event.
void DeviceEmitter::emit_incoming(Operation* action,
                                  llvm::function_ref<Command(BufferId to, std::vector<BufferId> pieces)> command) {
  const Types types = ir::tensor_types(action->getResults());
  const BufferId whole = new_buffer(bucket_type(types, alignment_), Storage::kArena);
  std::vector<BufferId> pieces;
  int64_t offset = 0;
  for (auto [i, value] : llvm::enumerate(action->getResults())) {
    const BufferId b = types.size() == 1 ? whole : new_buffer(types[i], Storage::kArena);
    if (b != whole) place_inside(b, whole, offset);
    offset = next_in_bucket(offset, types[i], alignment_);
    buffer_of_[value] = b;
    function_.buffers[b].origin = origin_of(action, static_cast<unsigned>(i));
    if (b != whole) pieces.push_back(b);
  }
  instructions(Queue::kIn).push_back(make_instruction(command(whole, std::move(pieces)), action));
  const EventId ready = new_event();
  instructions(Queue::kIn).push_back({.command = SignalEvent{ready}});
  live_ranges_[whole.index()] = {.first = 0, .last = 0, .whole_step = true, .ready_event = ready, .incoming = true};
}

// Emits a send or an output: the out queue waits until the buffer is written, and then reads it. The signal directly
// follows the instruction that writes the buffer, so the transfer overlaps with later instructions.
void DeviceEmitter::emit_outgoing(Operation* action, BufferId from, Command command) {
  LiveRange& l = live_range(from);
  l.whole_step = true;
  if (function_.buffers[root(from)].storage == Storage::kArena && !l.ready_event.is_set()) {
    l.ready_event = new_event();
    signals_.add(l.producer, l.ready_event);
  }
  if (l.ready_event.is_set()) instructions(Queue::kOut).push_back({.command = AwaitEvent{l.ready_event}});
  instructions(Queue::kOut).push_back(make_instruction(std::move(command), action));
}

// Emits the start of an all-reduce. A single tensor is read from its own buffer. Several tensors are placed in one
// buffer, so that one transfer takes all of them, and their kernels write to that buffer. A tensor that cannot be
// placed there, such as a constant or a tensor in two buckets, is copied.
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
  const BufferId whole = new_buffer(bucket_type(types, alignment_), Storage::kArena);
  command.from = whole;
  LiveRange made;
  made.whole_step = true;
  int64_t offset = 0;
  for (auto [value, type] : llvm::zip(start.getValues(), types)) {
    const BufferId b = buffer_of_.lookup(value);
    const LiveRange& l = live_range(b);
    const Buffer& its_memory = function_.buffers[root(b)];
    const bool can_move = its_memory.storage == Storage::kArena && !l.incoming && l.producer >= 0 &&
                          !l.ready_event.is_set() && its_memory.type.bytes() == type.bytes();
    if (can_move) {
      made.producer = std::max(made.producer, l.producer);
      place_inside(b, whole, offset);
      command.pieces.push_back(b);
    } else {
      ++position_;
      mark_use(b);
      const BufferId slot = new_buffer(type, Storage::kArena);
      place_inside(slot, whole, offset);
      command.pieces.push_back(slot);
      instructions(Queue::kCompute).push_back({.command = CopyBuffer{b, slot}});
      made.producer = static_cast<int64_t>(instructions(Queue::kCompute).size()) - 1;
    }
    offset = next_in_bucket(offset, type, alignment_);
  }
  live_ranges_[whole.index()] = made;
  emit_outgoing(start, whole, std::move(command));
}

Status DeviceEmitter::run(ir::ScheduleOp schedule) {
  base_ = function_.buffers.size();
  root_.resize(base_), offset_in_.resize(base_), live_ranges_.resize(base_);
  for (Operation& action : schedule.getActions().front()) {
    if (auto input = dyn_cast<ir::InputOp>(action)) {
      const TensorType type = *ir::tensor_type(input.getValue().getType());
      const uint64_t offset = input.getStart() * static_cast<uint64_t>(row_bytes(type));
      emit_incoming(&action, [&](BufferId to, const auto&) -> Command {
        return ReadInput{names_.inputs.lookup(input.getName()), offset, to};
      });
    } else if (auto recv = dyn_cast<ir::RecvOp>(action)) {
      emit_incoming(&action,
                    [&](BufferId to, const auto&) -> Command { return Receive{ChannelId(recv.getChannel()), to}; });
    } else if (auto send = dyn_cast<ir::SendOp>(action)) {
      const BufferId from = buffer_of_.lookup(send.getValue());
      emit_outgoing(&action, from, Send{ChannelId(send.getChannel()), from});
    } else if (auto output = dyn_cast<ir::OutputOp>(action)) {
      const BufferId from = buffer_of_.lookup(output.getValue());
      const auto bytes = static_cast<uint64_t>(row_bytes(*ir::tensor_type(output.getValue().getType())));
      emit_outgoing(&action, from,
                    WriteOutput{names_.outputs.lookup(output.getName()), output.getStart() * bytes, from});
    } else if (auto start = dyn_cast<ir::AllReduceStartOp>(action)) {
      start_collective(start);
    } else if (auto wait = dyn_cast<ir::AllReduceWaitOp>(action)) {
      emit_incoming(&action, [&](BufferId to, std::vector<BufferId> pieces) -> Command {
        return AwaitAllReduce{CollectiveId(wait.getCollective()), to, std::move(pieces)};
      });
    } else if (auto call = dyn_cast<ir::CallOp>(action)) {
      CUTSET_TRY(call.getShard() ? emit_call(call) : emit_role(call));
    } else if (isa<ir::CommitOp>(action)) {
      applying_ = true;
    } else {
      return execution_failed("there is no instruction for the action '" + action.getName().getStringRef().str() + "'");
    }
  }
  // All outgoing actions precede the commit, so all signals belong to the compute lists.
  std::move(signals_).insert_into(plan_.queues[static_cast<int>(Queue::kCompute)].compute);
  pack();
  return {};
}

VariableId DeviceEmitter::variable_in(BufferId buffer) const { return function_.buffers[root(buffer)].variable; }

void DeviceEmitter::emit_copy(BufferId from, BufferId to) {
  ++position_;
  mark_use(from), mark_use(to);
  instructions(Queue::kCompute).push_back({.command = CopyBuffer{from, to}});
}

Status DeviceEmitter::emit_role(ir::CallOp call) {
  auto function = names_.roles.lookup<func::FuncOp>(call.getRoleAttr().getAttr());
  for (auto [argument, value] : llvm::zip(function.getArguments(), call.getArguments()))
    buffer_of_[argument] = buffer_of_.lookup(value);
  // An argument from an earlier role may be a view of the memory of a variable. That variable is not updated in place.
  std::set<VariableId> viewed;
  for (Value argument : function.getArguments())
    if (const VariableId v = variable_in(buffer_of_.lookup(argument)); v.is_set()) viewed.insert(v);
  llvm::DenseMap<Value, VariableId> updated;
  for (auto [value, name] : updates_in_place(function))
    if (auto index = find_variable(name.getValue()); index && !viewed.contains(*index)) updated[value] = *index;
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
  for (auto& [from, to] : copies) {  // keep the old value of a variable if another copy may overwrite it first
    if (copies.size() == 1 || !variable_in(from).is_set()) continue;
    const BufferId kept = new_buffer(function_.buffers[from].type, Storage::kArena);
    emit_copy(from, kept);
    from = kept;
  }
  for (auto [from, to] : copies) emit_copy(from, to);
  for (auto [result, value] : llvm::zip(call.getValues(), function.getBody().front().getTerminator()->getOperands()))
    buffer_of_[result] = buffer_of_.lookup(value);
  return {};
}

Result<Role> DeviceEmitter::run_role(func::FuncOp function) {
  Role role{.name = function.getName().str(), .device = device_};
  for (BlockArgument argument : function.getArguments()) {
    const BufferId b = new_buffer(*ir::tensor_type(argument.getType()), Storage::kParameter);
    buffer_of_[argument] = b;
    role.parameters.push_back(b);
  }
  for (Operation& o : function.getBody().front().without_terminator())
    CUTSET_TRY(emit_op(&o, llvm::DenseMap<Value, VariableId>()));
  for (Value returned : function.getBody().front().getTerminator()->getOperands()) {
    BufferId b = buffer_of_.lookup(returned);
    if (function_.buffers[b].storage == Storage::kArena && root(b) == b) {
      function_.buffers[b].storage = Storage::kParameter;
      for (BufferId view : views_[b]) function_.buffers[view].storage = Storage::kParameter;
    } else {  // an argument, a view, a constant, a variable, or a value that is returned twice
      const BufferId result = new_buffer(*ir::tensor_type(returned.getType()), Storage::kParameter);
      function_.buffers[result].origin = function_.buffers[b].origin;
      emit_copy(b, result);
      b = result;
    }
    role.parameters.push_back(b);
  }
  pack();
  role.buffers = std::move(function_.buffers);
  role.body = std::move(instructions(Queue::kCompute));
  return role;
}

Status DeviceEmitter::emit_call(ir::CallOp call) {
  if (!called_) called_ = std::make_unique<CalledRoles>(names_, program_, function_, device_, description_, alignment_);
  CUTSET_ASSIGN(const CalledRoles::Called role, called_->find_or_emit(call));
  CallRole command{.role = role.id, .shard = static_cast<int32_t>(*call.getShard())};
  last_call_ = ++position_, first_call_ = first_call_ ? first_call_ : position_;
  for (Value v : call.getArguments())
    command.arguments.push_back(buffer_of_.lookup(v)), mark_use(command.arguments.back());
  for (auto [i, value] : llvm::enumerate(call.getValues())) {
    const TensorType type = *ir::tensor_type(value.getType());
    BufferId b;
    if (const auto argument = role.in_place[i]; argument && may_overwrite(call, *argument)) {
      b = new_view(command.arguments[*argument], type);
    } else {
      b = new_buffer(type, Storage::kArena);
      live_range(b).group = groups_.try_emplace({role.id, i}, static_cast<int64_t>(groups_.size())).first->second;
    }
    function_.buffers[b].origin = origin_of(call, static_cast<unsigned>(i));
    mark_use(b);
    live_range(b).producer = static_cast<int64_t>(instructions(Queue::kCompute).size());
    buffer_of_[value] = b;
    command.arguments.push_back(b);
  }
  instructions(Queue::kCompute).push_back(make_instruction(std::move(command), call));
  return {};
}

BufferId DeviceEmitter::new_view(BufferId from, const TensorType& type) {
  const Buffer whole = function_.buffers[root(from)];
  const BufferId view = new_buffer(type, whole.storage);
  root_[view.index()] = root(from);
  views_[root(from)].push_back(view);
  offset_in_[view.index()] = offset_in_[from.index()];
  Buffer& made = function_.buffers[view];
  made.variable = whole.variable, made.constant = whole.constant;
  made.view_of = from;
  return view;
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
    buffer_of_[o->getResult(0)] = new_buffer(*ir::tensor_type(o->getResult(0).getType()), Storage::kTypeOnly);
    return {};
  }
  if (auto constant = dyn_cast<ir::ConstantOp>(o)) {
    CUTSET_ASSIGN(Constant c, constant_of(constant, device_));
    const BufferId b = new_buffer(c.type, Storage::kConstant);
    function_.buffers[b].constant = program_.constants.next();
    function_.buffers[b].origin = origin_of(o);
    buffer_of_[constant] = b;
    program_.constants.push_back(std::move(c));
    return {};
  }
  auto rules = dyn_cast<ir::CutsetOpInterface>(o);
  if (!rules) return execution_failed("there is no instruction for the op '" + o->getName().getStringRef().str() + "'");
  if (rules.op_info().view) {
    const BufferId view = new_view(buffer_of_.lookup(o->getOperand(0)), *ir::tensor_type(o->getResult(0).getType()));
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
  if (!chosen) return execution_failed("op '" + std::string(info.name) + "' has no kernel: it was not lowered");
  ++position_;
  RunKernel i{.kernel = name.str(), .attributes = ir::attributes_of(o)};
  const Types in = ir::tensor_types(o->getOperands()), out = ir::tensor_types(o->getResults());
  for (Value v : o->getOperands()) {
    const BufferId b = buffer_of_.lookup(v);
    i.operands.push_back(b);
    if (function_.buffers[b].storage != Storage::kTypeOnly) mark_use(b);
  }
  for (auto [r, value] : llvm::enumerate(o->getResults())) {
    auto in_place = updated.find(value);
    const BufferId b =
        in_place == updated.end() ? new_buffer(out[r], Storage::kArena) : new_buffer_of(out[r], in_place->second);
    buffer_of_[value] = b;
    function_.buffers[b].origin = origin_of(o, static_cast<unsigned>(r));
    i.results.push_back(b);
    mark_use(b);
  }
  const auto [known, first] = scratch_.try_emplace(ProblemKey{chosen, i.attributes, in, out}, 0);
  if (first) {
    CUTSET_ASSIGN(known->second, description_.scratch(chosen, info, ir::flat_attributes(o).data(), in, out));
  }
  if (const uint64_t bytes = known->second; bytes > 0) {
    i.scratch = new_buffer({DType::u8, {static_cast<int64_t>(bytes)}}, Storage::kArena);
    mark_use(i.scratch);
  }
  for (BufferId b : i.results) live_range(b).producer = static_cast<int64_t>(instructions(Queue::kCompute).size());
  if (auto names = o->getAttrOfType<ArrayAttr>(kFinite)) {  // the host reads the flag after all queues are done
    live_range(i.results[0]).whole_step = true;
    FiniteCheck check{device_, i.results[0], {}};
    for (auto [b, what] : llvm::zip(i.operands, names.getAsValueRange<StringAttr>()))
      check.tensors.push_back({b, what.str()});
    function_.checks.push_back(std::move(check));
  }
  instructions(Queue::kCompute).push_back(make_instruction(std::move(i), o));
  return {};
}

void DeviceEmitter::pack() {
  std::vector<ArenaValue> values;
  std::vector<size_t> which;
  for (size_t b = base_; b < function_.buffers.size(); ++b) {
    if (function_.buffers[b].storage != Storage::kArena || root_[b] != BufferId(b)) continue;
    const LiveRange& l = live_ranges_[b];
    values.push_back({l.whole_step ? 0 : std::max<int64_t>(l.first, 0),
                      l.whole_step ? position_ : std::max<int64_t>(l.last, 0),
                      static_cast<uint64_t>(function_.buffers[b].type.bytes()), l.group});
    which.push_back(b);
  }
  if (called_) values.push_back({first_call_, last_call_, called_->bytes()});
  const Packing result = pack_arena(values, std::max<uint64_t>(description_.info().alignment, 1));
  for (size_t i = 0; i < which.size(); ++i) function_.buffers[which[i]].offset = values[i].offset;
  if (called_) called_->place_at(values.back().offset);
  for (size_t b = base_; b < function_.buffers.size(); ++b)
    if (root_[b] != BufferId(b))
      function_.buffers[b].offset = function_.buffers[root_[b]].offset + static_cast<uint64_t>(offset_in_[b]);
  plan_.arena_bytes = result.bytes;
  plan_.lower_bound_bytes = result.lower_bound;
}

}  // namespace cutset::passes
