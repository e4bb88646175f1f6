#include "passes/schedule/emit_device.h"

#include "graph/packing.h"
#include "passes/passes.h"
#include "passes/split/meaning.h"

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

Instruction described(Instruction::Kind kind, Operation* op) {
  Instruction i;
  i.kind = kind;
  i.op = op->getName().stripDialect().str();
  i.label = ir::scopeOf(op->getLoc());
  i.source = ir::sourceOf(op->getLoc());
  return i;
}

std::vector<Instruction>& DeviceEmitter::list(Queue queue) {
  Sequence& s = plan_.queues[static_cast<int>(queue)];
  return applying_ ? s.apply : s.compute;
}

int32_t DeviceEmitter::new_buffer(const TensorType& type, Storage storage, int32_t index) {
  const auto id = static_cast<int32_t>(function_.buffers.size());
  function_.buffers.push_back({device_, storage, 0, index, type});
  alias_.resize(function_.buffers.size());
  inside_.resize(function_.buffers.size());
  lives_.resize(function_.buffers.size());
  alias_.back() = id;
  return id;
}

Result<int32_t> DeviceEmitter::variable(StringRef name) const {
  for (size_t v = 0; v < program_.variables.size(); ++v)
    if (program_.variables[v].name == name) return static_cast<int32_t>(v);
  return execution_failed("no variable @" + name.str());
}

void DeviceEmitter::touch(int32_t buffer) {
  Life& l = life(buffer);
  if (l.first < 0) l.first = time_;
  l.last = time_;
  if (l.arrives && !l.awaited) {
    Instruction wait;
    wait.kind = Instruction::Kind::kWait;
    wait.index = l.produced_by;
    list(Queue::kCompute).push_back(wait);
    l.awaited = true;
  }
}

void DeviceEmitter::lie_in(int32_t buffer, int32_t whole, int64_t offset) {
  const int32_t old = root(buffer);
  const int64_t base = offset - inside_[static_cast<size_t>(buffer)];
  for (size_t b = base_; b < alias_.size(); ++b)  // with all that is a view of it
    if (alias_[b] == old) alias_[b] = whole, inside_[b] += base;
}

// An input, a recv or a sum: the in queue writes the buffer and says so.
void DeviceEmitter::arrive(Operation* action, Instruction instruction) {
  const Types types = ir::tensorTypes(action->getResults());
  const int32_t whole = new_buffer(bucket_type(types, alignment_), Storage::kArena);
  int64_t offset = 0;
  for (auto [i, value] : llvm::enumerate(action->getResults())) {
    const int32_t b = types.size() == 1 ? whole : new_buffer(types[i], Storage::kArena);
    if (b != whole) lie_in(b, whole, offset);
    offset = next_in_bucket(offset, types[i], alignment_);
    buffer_of_[value] = b;
    function_.buffers[static_cast<size_t>(b)].meaning = meaning_of(action, static_cast<unsigned>(i));
    if (b != whole) instruction.pieces.push_back(b);
  }
  instruction.results = {whole};
  list(Queue::kIn).push_back(instruction);
  Instruction signal;
  signal.kind = Instruction::Kind::kSignal;
  signal.index = event();
  list(Queue::kIn).push_back(signal);
  lives_[static_cast<size_t>(whole)] = {
      .first = 0, .last = 0, .whole_step = true, .produced_by = signal.index, .arrives = true};
}

// A send or an output: the out queue waits for whoever made the buffer, then reads it. The signal stands
// right behind the instruction that makes the buffer, so the transfer runs beside what follows.
void DeviceEmitter::leave(Operation* action, Instruction instruction) {
  enqueue_leaving(buffer_of_.lookup(action->getOperand(0)), std::move(instruction));
}

void DeviceEmitter::enqueue_leaving(int32_t b, Instruction instruction) {
  Life& l = life(b);
  l.whole_step = true;
  if (function_.buffers[static_cast<size_t>(root(b))].storage == Storage::kArena && l.produced_by == kNone) {
    Instruction signal;
    signal.kind = Instruction::Kind::kSignal;
    signal.index = l.produced_by = event();
    auto& compute = list(Queue::kCompute);
    const int64_t behind = l.produced_at + 1;
    compute.insert(compute.begin() + behind, signal);
    for (Life& other : lives_)
      if (other.produced_at >= behind) ++other.produced_at;
  }
  if (l.produced_by != kNone) {
    Instruction wait;
    wait.kind = Instruction::Kind::kWait;
    wait.index = l.produced_by;
    list(Queue::kOut).push_back(wait);
  }
  instruction.operands = {b};
  list(Queue::kOut).push_back(instruction);
}

// One tensor leaves from where it lies. More are made to lie in one buffer, so that one transfer takes all:
// kernels write there at once; what cannot be moved there (a constant, a tensor in two buckets) is copied.
void DeviceEmitter::start_collective(ir::AllReduceStartOp start) {
  Instruction i = described(Instruction::Kind::kReduceStart, start);
  i.index = static_cast<int32_t>(start.getCollective());
  const auto& parts = function_.collectives[static_cast<size_t>(i.index)].parts;
  for (size_t p = 0; p < parts.size(); ++p)
    if (parts[p].first == start.getShards()[0]) i.part = static_cast<int32_t>(p);
  if (start.getValues().size() == 1) return leave(start, std::move(i));
  const Types types = ir::tensorTypes(start.getValues());
  const int32_t whole = new_buffer(bucket_type(types, alignment_), Storage::kArena);
  Life made;
  made.whole_step = true;
  int64_t offset = 0;
  for (auto [value, type] : llvm::zip(start.getValues(), types)) {
    const int32_t b = buffer_of_.lookup(value);
    const Life& l = life(b);
    const bool free = function_.buffers[static_cast<size_t>(root(b))].storage == Storage::kArena && !l.arrives &&
                      l.produced_at >= 0 && l.produced_by == kNone &&
                      function_.buffers[static_cast<size_t>(root(b))].type.bytes() == type.bytes();
    if (free) {
      made.produced_at = std::max(made.produced_at, l.produced_at);
      lie_in(b, whole, offset);
      i.pieces.push_back(b);
    } else {
      ++time_;
      touch(b);
      const int32_t slot = new_buffer(type, Storage::kArena);
      lie_in(slot, whole, offset);
      i.pieces.push_back(slot);
      Instruction copy;
      copy.kind = Instruction::Kind::kCopy;
      copy.operands = {b}, copy.results = {slot};
      list(Queue::kCompute).push_back(copy);
      made.produced_at = static_cast<int64_t>(list(Queue::kCompute).size()) - 1;
    }
    offset = next_in_bucket(offset, type, alignment_);
  }
  lives_[static_cast<size_t>(whole)] = made;
  enqueue_leaving(whole, std::move(i));
}

static int64_t row_bytes(const TensorType& type) {
  return type.shape.empty() || type.shape[0] == 0 ? type.bytes() : type.bytes() / type.shape[0];
}

Status DeviceEmitter::run(ir::ScheduleOp schedule) {
  base_ = function_.buffers.size();
  alias_.resize(base_), inside_.resize(base_), lives_.resize(base_);
  auto port = [](const std::vector<Port>& ports, StringRef name) {
    for (size_t i = 0; i < ports.size(); ++i)
      if (ports[i].name == name) return static_cast<int32_t>(i);
    return kNone;
  };
  for (Operation& action : schedule.getActions().front()) {
    if (auto input = dyn_cast<ir::InputOp>(action)) {
      Instruction i = described(Instruction::Kind::kInput, &action);
      i.index = port(function_.inputs, input.getName());
      const TensorType type = *ir::tensorType(input.getValue().getType());
      i.offset = input.getStart() * static_cast<uint64_t>(row_bytes(type));
      arrive(&action, i);
    } else if (auto recv = dyn_cast<ir::RecvOp>(action)) {
      Instruction i = described(Instruction::Kind::kRecv, &action);
      i.index = static_cast<int32_t>(recv.getChannel());
      arrive(&action, i);
    } else if (auto send = dyn_cast<ir::SendOp>(action)) {
      Instruction i = described(Instruction::Kind::kSend, &action);
      i.index = static_cast<int32_t>(send.getChannel());
      leave(&action, i);
    } else if (auto output = dyn_cast<ir::OutputOp>(action)) {
      Instruction i = described(Instruction::Kind::kOutput, &action);
      i.index = port(function_.outputs, output.getName());
      i.offset = output.getStart() * static_cast<uint64_t>(row_bytes(*ir::tensorType(output.getValue().getType())));
      leave(&action, i);
    } else if (auto start = dyn_cast<ir::AllReduceStartOp>(action)) {
      start_collective(start);
    } else if (auto wait = dyn_cast<ir::AllReduceWaitOp>(action)) {
      Instruction i = described(Instruction::Kind::kReduceWait, &action);
      i.index = static_cast<int32_t>(wait.getCollective());
      arrive(&action, i);
    } else if (auto call = dyn_cast<ir::CallOp>(action)) {
      CUTSET_TRY(role(call));
    } else if (isa<ir::CommitOp>(action)) {
      applying_ = true;
    } else {
      return execution_failed("no instruction for action '" + action.getName().getStringRef().str() + "'");
    }
  }
  pack();
  return {};
}

int32_t DeviceEmitter::variable_in(int32_t buffer) const {
  const Buffer& b = function_.buffers[static_cast<size_t>(root(buffer))];
  return b.storage == Storage::kVariable ? b.index : kNone;
}

void DeviceEmitter::copy(int32_t from, int32_t to) {
  ++time_;
  touch(from), touch(to);
  Instruction copy;
  copy.kind = Instruction::Kind::kCopy;
  copy.operands = {from}, copy.results = {to};
  list(Queue::kCompute).push_back(copy);
}

Status DeviceEmitter::role(ir::CallOp call) {
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getRoleAttr());
  for (auto [argument, value] : llvm::zip(function.getArguments(), call.getArguments()))
    buffer_of_[argument] = buffer_of_.lookup(value);
  // What comes from an earlier role may be a variable's own memory, seen through a view.
  llvm::DenseSet<int32_t> viewed;
  for (Value argument : function.getArguments())
    if (const int32_t v = variable_in(buffer_of_.lookup(argument)); v != kNone) viewed.insert(v);
  // An update may write over a variable where it alone, and as that operand alone, reads it in this role; else
  // through a copy.
  llvm::DenseMap<Value, int32_t> updated;
  function.walk([&](ir::AssignOp assign) {
    auto rules = assign.getValue().getDefiningOp<ir::CutsetOpInterface>();
    const auto number = rules ? cast<OpResult>(assign.getValue()).getResultNumber() : 0;
    if (!rules || static_cast<int>(number) >= rules.opInfo().updates) return;
    auto read = rules->getOperand(number).getDefiningOp<ir::ReadOp>();
    if (!read || read.getVariable() != assign.getVariable()) return;
    for (auto other : function.getOps<ir::ReadOp>())
      if (other.getVariable() == assign.getVariable())
        for (OpOperand& use : other->getUses())
          if (use.getOwner() != rules || use.getOperandNumber() != number) return;
    if (auto index = variable(assign.getVariable()); index && !viewed.contains(*index))
      updated[assign.getValue()] = *index;
  });
  SmallVector<std::pair<int32_t, int32_t>> copies;  // after all reads of the role
  for (Operation& o : function.getBody().front().without_terminator()) {
    if (auto assign = dyn_cast<ir::AssignOp>(o)) {
      if (updated.contains(assign.getValue())) continue;
      CUTSET_ASSIGN(int32_t index, variable(assign.getVariable()));
      const int32_t from = buffer_of_.lookup(assign.getValue());
      copies.emplace_back(from,
                          new_buffer(function_.buffers[static_cast<size_t>(from)].type, Storage::kVariable, index));
    } else {
      CUTSET_TRY(op(&o, updated));
    }
  }
  for (auto& [from, to] : copies) {  // a variable's value before the step, which another copy may write over
    if (copies.size() == 1 || variable_in(from) == kNone) continue;
    const int32_t kept = new_buffer(function_.buffers[static_cast<size_t>(from)].type, Storage::kArena);
    copy(from, kept);
    from = kept;
  }
  for (auto [from, to] : copies) copy(from, to);
  for (auto [result, value] : llvm::zip(call.getValues(), function.getBody().front().getTerminator()->getOperands()))
    buffer_of_[result] = buffer_of_.lookup(value);
  return {};
}

Status DeviceEmitter::op(Operation* o, const llvm::DenseMap<Value, int32_t>& updated) {
  if (auto read = dyn_cast<ir::ReadOp>(o)) {
    CUTSET_ASSIGN(int32_t index, variable(read.getVariable()));
    const int32_t b = new_buffer(*ir::tensorType(read.getValue().getType()), Storage::kVariable, index);
    function_.buffers[static_cast<size_t>(b)].meaning = meaning_of(o);
    buffer_of_[read.getValue()] = b;
    return {};
  }
  if (isa<ir::TypeOnlyOp>(o)) {
    buffer_of_[o->getResult(0)] = new_buffer(*ir::tensorType(o->getResult(0).getType()), Storage::kTypeOnly);
    return {};
  }
  if (auto constant = dyn_cast<ir::ConstantOp>(o)) {
    auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
    const TensorType type = *ir::tensorType(constant.getType());
    if (!value) return execution_failed("a constant without its elements", ir::sourceOf(o->getLoc()));
    Constant c{type, {}, device_};
    if (type.dtype == DType::i1) {
      for (bool b : value.getValues<bool>()) c.bytes.push_back(b);
    } else {
      auto raw = value.getRawData();
      for (size_t i = 0; i < static_cast<size_t>(type.bytes()); ++i)
        c.bytes.push_back(static_cast<unsigned char>(raw[i % raw.size()]));
    }
    const int32_t b = new_buffer(type, Storage::kConstant, static_cast<int32_t>(program_.constants.size()));
    function_.buffers[static_cast<size_t>(b)].meaning = meaning_of(o);
    buffer_of_[constant] = b;
    program_.constants.push_back(std::move(c));
    return {};
  }
  auto rules = dyn_cast<ir::CutsetOpInterface>(o);
  if (!rules) return execution_failed("no instruction for op '" + o->getName().getStringRef().str() + "'");
  if (rules.opInfo().view) {
    const int32_t from = buffer_of_.lookup(o->getOperand(0));
    const Buffer whole = function_.buffers[static_cast<size_t>(root(from))];
    const int32_t view = new_buffer(*ir::tensorType(o->getResult(0).getType()), whole.storage, whole.index);
    alias_[static_cast<size_t>(view)] = root(from);
    inside_[static_cast<size_t>(view)] = inside_[static_cast<size_t>(from)];
    function_.buffers[static_cast<size_t>(view)].view_of = from;
    function_.buffers[static_cast<size_t>(view)].meaning = meaning_of(o);
    buffer_of_[o->getResult(0)] = view;
    return {};
  }
  return kernel(o, updated);
}

Status DeviceEmitter::kernel(Operation* o, const llvm::DenseMap<Value, int32_t>& updated) {
  const OpInfo& info = cast<ir::CutsetOpInterface>(o).opInfo();
  auto name = o->getAttrOfType<StringAttr>(kKernel);
  const cutset_kernel* chosen = name ? description_.find_kernel(name.str()) : nullptr;
  if (!chosen) return execution_failed("op '" + std::string(info.name) + "' has no kernel: it was not lowered");
  ++time_;
  Instruction i = described(Instruction::Kind::kKernel, o);
  i.kernel = name.str();
  i.attributes = ir::attributesOf(o);
  const Types in = ir::tensorTypes(o->getOperands()), out = ir::tensorTypes(o->getResults());
  for (Value v : o->getOperands()) {
    const int32_t b = buffer_of_.lookup(v);
    i.operands.push_back(b);
    if (function_.buffers[static_cast<size_t>(b)].storage != Storage::kTypeOnly) touch(b);
  }
  for (auto [r, value] : llvm::enumerate(o->getResults())) {
    auto in_place = updated.find(value);
    const int32_t b = in_place == updated.end() ? new_buffer(out[r], Storage::kArena)
                                                : new_buffer(out[r], Storage::kVariable, in_place->second);
    buffer_of_[value] = b;
    function_.buffers[static_cast<size_t>(b)].meaning = meaning_of(o, static_cast<unsigned>(r));
    i.results.push_back(b);
    touch(b);
  }
  CUTSET_ASSIGN(uint64_t bytes, description_.scratch(chosen, info, ir::flatAttributes(o).data(), in, out));
  if (bytes > 0) {
    i.scratch = new_buffer({DType::u8, {static_cast<int64_t>(bytes)}}, Storage::kArena);
    touch(i.scratch);
  }
  list(Queue::kCompute).push_back(i);
  if (auto names = o->getAttrOfType<ArrayAttr>(kFinite)) {  // the host reads the flag when all queues are done
    life(i.results[0]).whole_step = true;
    FiniteCheck check{device_, i.results[0], {}};
    for (auto [b, what] : llvm::zip(i.operands, names.getAsValueRange<StringAttr>()))
      check.tensors.push_back({b, what.str()});
    function_.checks.push_back(std::move(check));
  }
  for (int32_t b : i.results) life(b).produced_at = static_cast<int64_t>(list(Queue::kCompute).size()) - 1;
  return {};
}

void DeviceEmitter::pack() {
  std::vector<PackedBuffer> packed;
  std::vector<size_t> which;
  for (size_t b = base_; b < function_.buffers.size(); ++b) {
    if (function_.buffers[b].storage != Storage::kArena || alias_[b] != static_cast<int32_t>(b)) continue;
    const Life& l = lives_[b];
    packed.push_back({l.whole_step ? 0 : std::max<int64_t>(l.first, 0),
                      l.whole_step ? time_ : std::max<int64_t>(l.last, 0),
                      static_cast<uint64_t>(function_.buffers[b].type.bytes()), 0});
    which.push_back(b);
  }
  const Packing result = pack_buffers(packed, std::max<uint64_t>(description_.info().alignment, 1));
  for (size_t i = 0; i < packed.size(); ++i) function_.buffers[which[i]].offset = packed[i].offset;
  for (size_t b = base_; b < function_.buffers.size(); ++b)
    if (alias_[b] != static_cast<int32_t>(b))
      function_.buffers[b].offset =
          function_.buffers[static_cast<size_t>(alias_[b])].offset + static_cast<uint64_t>(inside_[b]);
  plan_.arena_bytes = result.bytes;
  plan_.lower_bound_bytes = result.lower_bound;
}

}  // namespace cutset::passes
