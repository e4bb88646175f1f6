#include "passes/emit/emit_device.h"

#include "graph/buffer_packing.h"
#include "passes/emit/in_place.h"
#include "passes/passes.h"
#include "passes/support/value_origin.h"

using namespace mlir;

namespace cutset::passes {

int64_t next_in_bucket(int64_t offset, const TensorType& tensor, uint64_t alignment) {
  const auto a = static_cast<int64_t>(alignment);
  return (offset + tensor.bytes() + a - 1) / a * a;
}

TensorType bucket_type(const Types& tensors, uint64_t alignment) {
  if (tensors.size() == 1) return tensors[0];
  int64_t bytes = 0;
  for (const TensorType& t : tensors) bytes = next_in_bucket(bytes, t, alignment);
  return {tensors[0].dtype, {bytes / size_of(tensors[0].dtype)}};
}

Instruction make_instruction(Instruction::Kind kind, Operation* op) {
  Instruction i;
  i.kind = kind;
  i.op = op->getName().stripDialect().str();
  i.layer = ir::layer_of(op->getLoc());
  i.source = ir::source_of(op->getLoc());
  return i;
}

std::vector<Instruction>& DeviceEmitter::instructions(Queue queue) {
  Sequence& s = plan_.queues[static_cast<int>(queue)];
  return applying_ ? s.apply : s.compute;
}

int32_t DeviceEmitter::new_buffer(const TensorType& type, Storage storage, int32_t index) {
  const auto id = static_cast<int32_t>(function_.buffers.size());
  function_.buffers.push_back({device_, storage, 0, index, type});
  root_.resize(function_.buffers.size());
  offset_in_.resize(function_.buffers.size());
  live_ranges_.resize(function_.buffers.size());
  root_.back() = id;
  return id;
}

Result<int32_t> DeviceEmitter::find_variable(StringRef name) const {
  auto it = names_.variables.find(name);
  if (it == names_.variables.end()) return execution_failed("there is no variable @" + name.str());
  return it->second;
}

void DeviceEmitter::mark_use(int32_t buffer) {
  LiveRange& l = live_range(buffer);
  if (l.first < 0) l.first = position_;
  l.last = position_;
  if (l.incoming && !l.awaited) {
    Instruction wait;
    wait.kind = Instruction::Kind::kWait;
    wait.index = l.ready_event;
    instructions(Queue::kCompute).push_back(wait);
    l.awaited = true;
  }
}

void DeviceEmitter::place_inside(int32_t buffer, int32_t whole, int64_t offset) {
  const int32_t old = root(buffer);
  const int64_t base = offset - offset_in_[static_cast<size_t>(buffer)];
  auto views = std::move(views_[old]);  // these buffers move together with `buffer`
  views_.erase(old);
  if (root_[static_cast<size_t>(old)] == old) views.push_back(old);
  for (int32_t b : views) root_[static_cast<size_t>(b)] = whole, offset_in_[static_cast<size_t>(b)] += base;
  llvm::append_range(views_[whole], views);
}

// Emits an input, a recv or a wait for an all-reduce: the in queue writes the buffer and signals an event.
void DeviceEmitter::emit_incoming(Operation* action, Instruction instruction) {
  const Types types = ir::tensor_types(action->getResults());
  const int32_t whole = new_buffer(bucket_type(types, alignment_), Storage::kArena);
  int64_t offset = 0;
  for (auto [i, value] : llvm::enumerate(action->getResults())) {
    const int32_t b = types.size() == 1 ? whole : new_buffer(types[i], Storage::kArena);
    if (b != whole) place_inside(b, whole, offset);
    offset = next_in_bucket(offset, types[i], alignment_);
    buffer_of_[value] = b;
    function_.buffers[static_cast<size_t>(b)].origin = origin_of(action, static_cast<unsigned>(i));
    if (b != whole) instruction.pieces.push_back(b);
  }
  instruction.results = {whole};
  instructions(Queue::kIn).push_back(instruction);
  Instruction signal;
  signal.kind = Instruction::Kind::kSignal;
  signal.index = new_event();
  instructions(Queue::kIn).push_back(signal);
  live_ranges_[static_cast<size_t>(whole)] = {
      .first = 0, .last = 0, .whole_step = true, .ready_event = signal.index, .incoming = true};
}

// Emits a send or an output: the out queue waits until the buffer is written, and then reads it. The signal directly
// follows the instruction that writes the buffer, so the transfer overlaps with later instructions.
void DeviceEmitter::emit_outgoing(Operation* action, Instruction instruction) {
  enqueue_outgoing(buffer_of_.lookup(action->getOperand(0)), std::move(instruction));
}

void DeviceEmitter::enqueue_outgoing(int32_t b, Instruction instruction) {
  LiveRange& l = live_range(b);
  l.whole_step = true;
  if (function_.buffers[static_cast<size_t>(root(b))].storage == Storage::kArena && l.ready_event == kNone) {
    l.ready_event = new_event();
    signals_.add(l.producer, l.ready_event);
  }
  if (l.ready_event != kNone) {
    Instruction wait;
    wait.kind = Instruction::Kind::kWait;
    wait.index = l.ready_event;
    instructions(Queue::kOut).push_back(wait);
  }
  instruction.operands = {b};
  instructions(Queue::kOut).push_back(instruction);
}

// Emits the start of an all-reduce. A single tensor is read from its own buffer. Several tensors are placed in one
// buffer, so that one transfer takes all of them, and their kernels write to that buffer. A tensor that cannot be
// placed there, such as a constant or a tensor in two buckets, is copied.
void DeviceEmitter::start_collective(ir::AllReduceStartOp start) {
  Instruction i = make_instruction(Instruction::Kind::kReduceStart, start);
  i.index = static_cast<int32_t>(start.getCollective());
  const auto& partials = function_.collectives[static_cast<size_t>(i.index)].partials;
  for (size_t p = 0; p < partials.size(); ++p)
    if (partials[p].first == start.getShards()[0]) i.partial = static_cast<int32_t>(p);
  if (start.getValues().size() == 1) return emit_outgoing(start, std::move(i));
  const Types types = ir::tensor_types(start.getValues());
  const int32_t whole = new_buffer(bucket_type(types, alignment_), Storage::kArena);
  LiveRange made;
  made.whole_step = true;
  int64_t offset = 0;
  for (auto [value, type] : llvm::zip(start.getValues(), types)) {
    const int32_t b = buffer_of_.lookup(value);
    const LiveRange& l = live_range(b);
    const bool can_move = function_.buffers[static_cast<size_t>(root(b))].storage == Storage::kArena && !l.incoming &&
                          l.producer >= 0 && l.ready_event == kNone &&
                          function_.buffers[static_cast<size_t>(root(b))].type.bytes() == type.bytes();
    if (can_move) {
      made.producer = std::max(made.producer, l.producer);
      place_inside(b, whole, offset);
      i.pieces.push_back(b);
    } else {
      ++position_;
      mark_use(b);
      const int32_t slot = new_buffer(type, Storage::kArena);
      place_inside(slot, whole, offset);
      i.pieces.push_back(slot);
      Instruction copy;
      copy.kind = Instruction::Kind::kCopy;
      copy.operands = {b}, copy.results = {slot};
      instructions(Queue::kCompute).push_back(copy);
      made.producer = static_cast<int64_t>(instructions(Queue::kCompute).size()) - 1;
    }
    offset = next_in_bucket(offset, type, alignment_);
  }
  live_ranges_[static_cast<size_t>(whole)] = made;
  enqueue_outgoing(whole, std::move(i));
}

static int64_t row_bytes(const TensorType& type) {
  return type.shape.empty() || type.shape[0] == 0 ? type.bytes() : type.bytes() / type.shape[0];
}

Status DeviceEmitter::run(ir::ScheduleOp schedule) {
  base_ = function_.buffers.size();
  root_.resize(base_), offset_in_.resize(base_), live_ranges_.resize(base_);
  auto port = [](const llvm::StringMap<int32_t>& ports, StringRef name) {
    auto it = ports.find(name);
    return it == ports.end() ? kNone : it->second;
  };
  for (Operation& action : schedule.getActions().front()) {
    if (auto input = dyn_cast<ir::InputOp>(action)) {
      Instruction i = make_instruction(Instruction::Kind::kInput, &action);
      i.index = port(names_.inputs, input.getName());
      const TensorType type = *ir::tensor_type(input.getValue().getType());
      i.offset = input.getStart() * static_cast<uint64_t>(row_bytes(type));
      emit_incoming(&action, i);
    } else if (auto recv = dyn_cast<ir::RecvOp>(action)) {
      Instruction i = make_instruction(Instruction::Kind::kRecv, &action);
      i.index = static_cast<int32_t>(recv.getChannel());
      emit_incoming(&action, i);
    } else if (auto send = dyn_cast<ir::SendOp>(action)) {
      Instruction i = make_instruction(Instruction::Kind::kSend, &action);
      i.index = static_cast<int32_t>(send.getChannel());
      emit_outgoing(&action, i);
    } else if (auto output = dyn_cast<ir::OutputOp>(action)) {
      Instruction i = make_instruction(Instruction::Kind::kOutput, &action);
      i.index = port(names_.outputs, output.getName());
      i.offset = output.getStart() * static_cast<uint64_t>(row_bytes(*ir::tensor_type(output.getValue().getType())));
      emit_outgoing(&action, i);
    } else if (auto start = dyn_cast<ir::AllReduceStartOp>(action)) {
      start_collective(start);
    } else if (auto wait = dyn_cast<ir::AllReduceWaitOp>(action)) {
      Instruction i = make_instruction(Instruction::Kind::kReduceWait, &action);
      i.index = static_cast<int32_t>(wait.getCollective());
      emit_incoming(&action, i);
    } else if (auto call = dyn_cast<ir::CallOp>(action)) {
      CUTSET_TRY(emit_role(call));
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

int32_t DeviceEmitter::variable_in(int32_t buffer) const {
  const Buffer& b = function_.buffers[static_cast<size_t>(root(buffer))];
  return b.storage == Storage::kVariable ? b.index : kNone;
}

void DeviceEmitter::emit_copy(int32_t from, int32_t to) {
  ++position_;
  mark_use(from), mark_use(to);
  Instruction copy;
  copy.kind = Instruction::Kind::kCopy;
  copy.operands = {from}, copy.results = {to};
  instructions(Queue::kCompute).push_back(copy);
}

Status DeviceEmitter::emit_role(ir::CallOp call) {
  auto function = names_.roles.lookup<func::FuncOp>(call.getRoleAttr().getAttr());
  for (auto [argument, value] : llvm::zip(function.getArguments(), call.getArguments()))
    buffer_of_[argument] = buffer_of_.lookup(value);
  // An argument from an earlier role may be a view of the memory of a variable. That variable is not updated in place.
  llvm::DenseSet<int32_t> viewed;
  for (Value argument : function.getArguments())
    if (const int32_t v = variable_in(buffer_of_.lookup(argument)); v != kNone) viewed.insert(v);
  llvm::DenseMap<Value, int32_t> updated;
  for (auto [value, name] : updates_in_place(function))
    if (auto index = find_variable(name.getValue()); index && !viewed.contains(*index)) updated[value] = *index;
  SmallVector<std::pair<int32_t, int32_t>> copies;  // emitted after all kernels of the role
  for (Operation& o : function.getBody().front().without_terminator()) {
    if (auto assign = dyn_cast<ir::AssignOp>(o)) {
      if (updated.contains(assign.getValue())) continue;
      CUTSET_ASSIGN(int32_t index, find_variable(assign.getVariable()));
      const int32_t from = buffer_of_.lookup(assign.getValue());
      copies.emplace_back(from,
                          new_buffer(function_.buffers[static_cast<size_t>(from)].type, Storage::kVariable, index));
    } else {
      CUTSET_TRY(emit_op(&o, updated));
    }
  }
  for (auto& [from, to] : copies) {  // keep the old value of a variable if another copy may overwrite it first
    if (copies.size() == 1 || variable_in(from) == kNone) continue;
    const int32_t kept = new_buffer(function_.buffers[static_cast<size_t>(from)].type, Storage::kArena);
    emit_copy(from, kept);
    from = kept;
  }
  for (auto [from, to] : copies) emit_copy(from, to);
  for (auto [result, value] : llvm::zip(call.getValues(), function.getBody().front().getTerminator()->getOperands()))
    buffer_of_[result] = buffer_of_.lookup(value);
  return {};
}

Status DeviceEmitter::emit_op(Operation* o, const llvm::DenseMap<Value, int32_t>& updated) {
  if (auto read = dyn_cast<ir::ReadOp>(o)) {
    CUTSET_ASSIGN(int32_t index, find_variable(read.getVariable()));
    const int32_t b = new_buffer(*ir::tensor_type(read.getValue().getType()), Storage::kVariable, index);
    function_.buffers[static_cast<size_t>(b)].origin = origin_of(o);
    buffer_of_[read.getValue()] = b;
    return {};
  }
  if (isa<ir::TypeOnlyOp>(o)) {
    buffer_of_[o->getResult(0)] = new_buffer(*ir::tensor_type(o->getResult(0).getType()), Storage::kTypeOnly);
    return {};
  }
  if (auto constant = dyn_cast<ir::ConstantOp>(o)) {
    auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
    const TensorType type = *ir::tensor_type(constant.getType());
    if (!value)
      return Failure{ErrorCode::kFailed, "the elements of a constant are not stored in the module",
                     ir::source_of(o->getLoc()), ""};
    Constant c{type, {}, device_};
    if (type.dtype == DType::i1) {
      for (bool b : value.getValues<bool>()) c.bytes.push_back(b);
    } else {
      auto raw = value.getRawData();
      for (size_t i = 0; i < static_cast<size_t>(type.bytes()); ++i)
        c.bytes.push_back(static_cast<unsigned char>(raw[i % raw.size()]));
    }
    const int32_t b = new_buffer(type, Storage::kConstant, static_cast<int32_t>(program_.constants.size()));
    function_.buffers[static_cast<size_t>(b)].origin = origin_of(o);
    buffer_of_[constant] = b;
    program_.constants.push_back(std::move(c));
    return {};
  }
  auto rules = dyn_cast<ir::CutsetOpInterface>(o);
  if (!rules) return execution_failed("there is no instruction for the op '" + o->getName().getStringRef().str() + "'");
  if (rules.op_info().view) {
    const int32_t from = buffer_of_.lookup(o->getOperand(0));
    const Buffer whole = function_.buffers[static_cast<size_t>(root(from))];
    const int32_t view = new_buffer(*ir::tensor_type(o->getResult(0).getType()), whole.storage, whole.index);
    root_[static_cast<size_t>(view)] = root(from);
    views_[root(from)].push_back(view);
    offset_in_[static_cast<size_t>(view)] = offset_in_[static_cast<size_t>(from)];
    function_.buffers[static_cast<size_t>(view)].view_of = from;
    function_.buffers[static_cast<size_t>(view)].origin = origin_of(o);
    buffer_of_[o->getResult(0)] = view;
    return {};
  }
  return emit_kernel(o, updated);
}

Status DeviceEmitter::emit_kernel(Operation* o, const llvm::DenseMap<Value, int32_t>& updated) {
  const OpInfo& info = cast<ir::CutsetOpInterface>(o).op_info();
  auto name = o->getAttrOfType<StringAttr>(kKernel);
  const cutset_kernel* chosen = name ? description_.find_kernel(name.str()) : nullptr;
  if (!chosen) return execution_failed("op '" + std::string(info.name) + "' has no kernel: it was not lowered");
  ++position_;
  Instruction i = make_instruction(Instruction::Kind::kKernel, o);
  i.kernel = name.str();
  i.attributes = ir::attributes_of(o);
  const Types in = ir::tensor_types(o->getOperands()), out = ir::tensor_types(o->getResults());
  for (Value v : o->getOperands()) {
    const int32_t b = buffer_of_.lookup(v);
    i.operands.push_back(b);
    if (function_.buffers[static_cast<size_t>(b)].storage != Storage::kTypeOnly) mark_use(b);
  }
  for (auto [r, value] : llvm::enumerate(o->getResults())) {
    auto in_place = updated.find(value);
    const int32_t b = in_place == updated.end() ? new_buffer(out[r], Storage::kArena)
                                                : new_buffer(out[r], Storage::kVariable, in_place->second);
    buffer_of_[value] = b;
    function_.buffers[static_cast<size_t>(b)].origin = origin_of(o, static_cast<unsigned>(r));
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
  instructions(Queue::kCompute).push_back(i);
  if (auto names = o->getAttrOfType<ArrayAttr>(kFinite)) {  // the host reads the flag after all queues are done
    live_range(i.results[0]).whole_step = true;
    FiniteCheck check{device_, i.results[0], {}};
    for (auto [b, what] : llvm::zip(i.operands, names.getAsValueRange<StringAttr>()))
      check.tensors.push_back({b, what.str()});
    function_.checks.push_back(std::move(check));
  }
  for (int32_t b : i.results) live_range(b).producer = static_cast<int64_t>(instructions(Queue::kCompute).size()) - 1;
  return {};
}

void DeviceEmitter::pack() {
  std::vector<PackedBuffer> packed;
  std::vector<size_t> which;
  for (size_t b = base_; b < function_.buffers.size(); ++b) {
    if (function_.buffers[b].storage != Storage::kArena || root_[b] != static_cast<int32_t>(b)) continue;
    const LiveRange& l = live_ranges_[b];
    packed.push_back({l.whole_step ? 0 : std::max<int64_t>(l.first, 0),
                      l.whole_step ? position_ : std::max<int64_t>(l.last, 0),
                      static_cast<uint64_t>(function_.buffers[b].type.bytes()), 0});
    which.push_back(b);
  }
  const Packing result = pack_buffers(packed, std::max<uint64_t>(description_.info().alignment, 1));
  for (size_t i = 0; i < packed.size(); ++i) function_.buffers[which[i]].offset = packed[i].offset;
  for (size_t b = base_; b < function_.buffers.size(); ++b)
    if (root_[b] != static_cast<int32_t>(b))
      function_.buffers[b].offset =
          function_.buffers[static_cast<size_t>(root_[b])].offset + static_cast<uint64_t>(offset_in_[b]);
  plan_.arena_bytes = result.bytes;
  plan_.lower_bound_bytes = result.lower_bound;
}

}  // namespace cutset::passes
