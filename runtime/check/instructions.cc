#include <algorithm>
#include <set>

#include "ir/core/names.h"
#include "ir/core/op_info.h"
#include "runtime/all_reduce.h"
#include "runtime/check/check.h"

namespace cutset::check {
namespace {

using Kind = Instruction::Kind;

uint64_t bytes_of(const TensorType& t) { return static_cast<uint64_t>(t.bytes()); }

// Which instructions a queue carries out, and how many operands and results one has that is no kernel.
struct Form {
  Queue queue;
  size_t operands, results;
};
Form form_of(Kind kind, Queue here) {
  switch (kind) {
    case Kind::kInput:
    case Kind::kRecv:
    case Kind::kReduceWait:
      return {Queue::kIn, 0, 1};
    case Kind::kCopy:
      return {Queue::kCompute, 1, 1};
    case Kind::kKernel:
      return {Queue::kCompute, 0, 0};
    case Kind::kOutput:
    case Kind::kSend:
    case Kind::kReduceStart:
      return {Queue::kOut, 1, 0};
    case Kind::kSignal:
    case Kind::kWait:
      return {here, 0, 0};
  }
  return {here, 0, 0};
}

class InstructionCheck {
 public:
  InstructionCheck(const Program& program, const Function& function) : p_(program), f_(function) {}

  Status run() {
    CUTSET_TRY(check_name(f_.name, "a function"));
    if (f_.devices.size() != p_.devices.size()) return wrong(f_, "plans for other devices than the program's");
    for (size_t d = 0; d < f_.devices.size(); ++d) CUTSET_TRY(plan(d));
    CUTSET_TRY(ports(f_.inputs, "an input"));
    CUTSET_TRY(ports(f_.outputs, "an output"));
    for (int64_t rows : f_.shards)
      if (rows < 0) return wrong(f_, "a shard of " + std::to_string(rows) + " rows");
    for (size_t b = 0; b < f_.buffers.size(); ++b) CUTSET_TRY(buffer(b));
    CUTSET_TRY(transfers());
    for (size_t d = 0; d < f_.devices.size(); ++d) {
      signalled_.assign(static_cast<size_t>(f_.devices[d].events), false);
      CUTSET_TRY(for_each_instruction(f_.devices[d], [&](const Instruction& i, int q, bool apply, size_t n) -> Status {
        auto status = instruction(i, d, static_cast<Queue>(q), apply);
        return status.ok() ? status : wrong(f_, place(f_, d, q, apply, n) + " " + status.error().what);
      }));
      if (std::find(signalled_.begin(), signalled_.end(), false) != signalled_.end())
        return wrong(f_, f_.devices[d].device + " has an event that nothing signals");
    }
    for (const FiniteCheck& c : f_.checks) CUTSET_TRY(finite_check(c));
    return complete();
  }

 private:
  // What is wrong with one instruction; run() puts its place in front.
  static Failure bad(const std::string& what) { return invalid_data(what); }

  static Status printable(const std::string& text) {
    return is_printable(text) ? Status() : bad("has control characters in its text");
  }

  Status ports(const std::vector<Port>& list, const char* what) const {
    std::set<std::string> names;
    for (const Port& port : list) {
      CUTSET_TRY(check_name(port.name, what));
      CUTSET_TRY(check_type(port.type));
      CUTSET_TRY(fed(port, &list == &f_.outputs));
      if (!names.insert(port.name).second) return wrong(f_, std::string(what) + " '" + port.name + "' is there twice");
    }
    return {};
  }

  // What the session feeds are scalars of types that it can give.
  Status fed(const Port& port, bool output) const {
    const TensorType& t = port.type;
    if (port.feed == Feed::kCaller) return {};
    if (output) return wrong(f_, "output '" + port.name + "' is one that the session feeds");
    if (port.feed == Feed::kStep && t == TensorType{DType::i64, {}}) return {};
    if (port.feed == Feed::kHyperParameter && t.rank() == 0 && (t.dtype == f32 || t.dtype == f64)) return {};
    return wrong(f_, "input '" + port.name + "' of " + to_string(t) + " is not one that the session can feed");
  }

  Status finite_check(const FiniteCheck& c) const {
    auto is_here = [&](int32_t b) {
      return within(b, f_.buffers) && at(b).device == c.device && at(b).storage != Storage::kTypeOnly;
    };
    if (!within(c.device, f_.devices) || !is_here(c.flag) || at(c.flag).storage != Storage::kArena)
      return wrong(f_, "a check has no flag on its device");
    if (at(c.flag).type != TensorType{DType::i1, {}}) return wrong(f_, "the flag of a check is not a scalar of i1");
    for (const FiniteCheck::Tensor& t : c.tensors) {
      CUTSET_TRY(printable(t.name));
      if (!is_here(t.buffer))
        return wrong(f_, "a check of '" + t.name + "' looks at a buffer that is not its device's");
    }
    return {};
  }

  Status plan(size_t d) const {
    const DevicePlan& plan = f_.devices[d];
    if (plan.device != p_.devices[d]) return wrong(f_, "devices in another order than the program's");
    if (plan.arena_bytes > uint64_t{1} << 48)
      return wrong(f_, "an arena of " + std::to_string(plan.arena_bytes) + " bytes");
    size_t instructions = 0;
    for (const Sequence& s : plan.queues) instructions += s.compute.size() + s.apply.size();
    if (plan.events < 0 || static_cast<size_t>(plan.events) > instructions)
      return wrong(f_, plan.device + " has " + std::to_string(plan.events) + " events, and " +
                           std::to_string(instructions) + " instructions to signal them");
    return {};
  }

  Status buffer(size_t number) const {
    const Buffer& b = f_.buffers[number];
    auto bad = [&](const std::string& what) { return wrong(f_, "buffer " + std::to_string(number) + " " + what); };
    CUTSET_TRY(check_type(b.type));
    if (!within(b.device, f_.devices)) return bad("is on a device that is none");
    const Meaning& m = b.meaning;
    if (m.number < kNone || m.first < 0 || m.last < m.first || m.last > static_cast<int64_t>(f_.shards.size()) + 1 ||
        m.factor < kNone || m.layout < kPartialSum || m.layout >= kMaxRank)
      return bad("stands for a value that is none");
    if (b.view_of != kNone) {
      // Views are known behind what they are views of, which keeps them from going in circles.
      if (b.view_of < 0 || static_cast<size_t>(b.view_of) >= number) return bad("is a view of a buffer that is none");
      const Buffer& of = f_.buffers[static_cast<size_t>(b.view_of)];
      if (b.device != of.device || b.storage != of.storage || b.index != of.index || b.offset != of.offset ||
          b.type.dtype != of.type.dtype || b.type.bytes() != of.type.bytes())
        return bad("is a view that lies elsewhere than what it is a view of");
    }
    switch (b.storage) {
      case Storage::kArena: {
        const uint64_t arena = f_.devices[static_cast<size_t>(b.device)].arena_bytes;
        if (b.offset > arena || bytes_of(b.type) > arena - b.offset) return bad("reaches beyond the end of its arena");
        if (b.offset % 16 != 0) return bad("lies at an odd address");
        return {};
      }
      case Storage::kVariable: {
        if (!within(b.index, p_.variables)) return bad("is a variable that is none");
        const Variable& v = p_.variables[static_cast<size_t>(b.index)];
        if (v.type.bytes() != b.type.bytes() || v.type.dtype != b.type.dtype)
          return bad("is variable '" + v.name + "' with another type");
        if (std::find(v.homes.begin(), v.homes.end(), b.device) == v.homes.end())
          return bad("is variable '" + v.name + "' away from its homes");
        return {};
      }
      case Storage::kConstant: {
        if (!within(b.index, p_.constants)) return bad("is a constant that is none");
        const Constant& c = p_.constants[static_cast<size_t>(b.index)];
        if (c.type.bytes() != b.type.bytes() || c.type.dtype != b.type.dtype || c.device != b.device)
          return bad("is a constant of another type or device");
        return {};
      }
      case Storage::kTypeOnly:
        return {};
    }
    return bad("is of an unknown kind");
  }

  Status transfers() {
    for (const Channel& c : f_.channels) {
      if (!within(c.from, f_.devices) || !within(c.to, f_.devices))
        return wrong(f_, "a channel between devices that are none");
      CUTSET_TRY(check_type(c.type));
      CUTSET_TRY(printable(c.tensor));
    }
    for (const Collective& c : f_.collectives) {
      CUTSET_TRY(check_type(c.type));
      CUTSET_TRY(check_summed_type(c.type.dtype));
      CUTSET_TRY(printable(c.tensor));
      if (auto tree = additions_of(c.parts); !tree) return wrong(f_, tree.error().what);
      for (const Collective::Part& part : c.parts)
        if (!within(part.device, f_.devices)) return wrong(f_, "a part of a sum on a device that is none");
    }
    sent_.assign(f_.channels.size(), false), received_.assign(f_.channels.size(), false);
    for (const Collective& c : f_.collectives) started_.emplace_back(c.parts.size(), false);
    started_in_.assign(f_.collectives.size(), kNone);
    written_.resize(f_.outputs.size());
    return {};
  }

  const Buffer& at(int32_t b) const { return f_.buffers[static_cast<size_t>(b)]; }

  Status instruction(const Instruction& i, size_t device, Queue queue, bool apply) {
    for (const std::string* text : {&i.op, &i.kernel, &i.label, &i.source}) CUTSET_TRY(printable(*text));
    if (i.kind < Kind::kKernel || i.kind > Kind::kWait) return bad("is of an unknown kind");
    for (const auto* list : {&i.operands, &i.results, &i.pieces})
      for (int32_t b : *list)
        if (!within(b, f_.buffers) || at(b).device != static_cast<int32_t>(device))
          return bad("works on a buffer that is not its device's");
    const Form form = form_of(i.kind, queue);
    if (queue != form.queue) return bad("is in a queue that does not carry out its kind");
    for (int32_t b : i.results)
      if (at(b).storage == Storage::kTypeOnly || at(b).storage == Storage::kConstant)
        return bad("writes what is not to be written");
    if (i.kind == Kind::kKernel) return kernel(i, device);
    if (i.operands.size() != form.operands || i.results.size() != form.results || i.scratch != kNone)
      return bad("has another number of buffers than its kind takes");
    for (int32_t b : i.operands)
      if (at(b).storage == Storage::kTypeOnly) return bad("reads a value that has none");
    CUTSET_TRY(pieces(i));
    switch (i.kind) {
      case Kind::kCopy:
        return same(at(i.operands[0]).type, at(i.results[0]).type, "a copy between buffers");
      case Kind::kInput:
        return rows(i, f_.inputs, at(i.results[0]).type);
      case Kind::kOutput:
        CUTSET_TRY(rows(i, f_.outputs, at(i.operands[0]).type));
        written_[static_cast<size_t>(i.index)].emplace_back(i.offset, bytes_of(at(i.operands[0]).type));
        return {};
      case Kind::kSend:
      case Kind::kRecv:
        return transfer(i, device);
      case Kind::kReduceStart:
      case Kind::kReduceWait:
        return sum(i, device, apply);
      case Kind::kSignal:
      case Kind::kWait:
        if (!within(i.index, signalled_)) return bad("has an event that is none");
        if (i.kind == Kind::kWait) return {};
        if (signalled_[static_cast<size_t>(i.index)]) return bad("signals an event that another one signals");
        signalled_[static_cast<size_t>(i.index)] = true;
        return {};
      case Kind::kKernel:
        break;
    }
    return {};
  }

  static Status same(const TensorType& a, const TensorType& b, const char* what) {
    if (a.dtype == b.dtype && a.bytes() == b.bytes()) return {};
    return bad(std::string("is ") + what + " of different types, " + to_string(a) + " and " + to_string(b));
  }

  // The tensors of a bucket lie in it, apart.
  Status pieces(const Instruction& i) const {
    if (i.pieces.empty()) return {};
    if (i.kind != Kind::kReduceStart && i.kind != Kind::kReduceWait) return bad("has a bucket and is no sum");
    const Buffer& whole = at(i.results.empty() ? i.operands[0] : i.results[0]);
    if (whole.storage != Storage::kArena || whole.view_of != kNone)
      return bad("has a bucket that is no buffer of its own");
    std::vector<const Buffer*> list;
    for (int32_t b : i.pieces) list.push_back(&at(b));
    std::sort(list.begin(), list.end(), [](const Buffer* a, const Buffer* b) { return a->offset < b->offset; });
    uint64_t end = whole.offset;
    for (const Buffer* b : list) {
      if (b->storage != Storage::kArena || b->type.dtype != whole.type.dtype || b->offset < end)
        return bad("has a tensor in its bucket that does not lie in it, or lies in another");
      end = b->offset + bytes_of(b->type);
    }
    return end <= whole.offset + bytes_of(whole.type) ? Status() : bad("has a tensor that reaches beyond its bucket");
  }

  Status rows(const Instruction& i, const std::vector<Port>& ports, const TensorType& part) const {
    if (!within(i.index, ports)) return bad("has an input or output that is none");
    const Port& port = ports[static_cast<size_t>(i.index)];
    if (part.dtype != port.type.dtype) return bad("is of another element type than '" + port.name + "'");
    const uint64_t whole = bytes_of(port.type);
    if (i.offset > whole || bytes_of(part) > whole - i.offset)
      return bad("has rows beyond the end of '" + port.name + "'");
    return {};
  }

  Status transfer(const Instruction& i, size_t device) {
    if (!within(i.index, f_.channels)) return bad("has a channel that is none");
    const Channel& c = f_.channels[static_cast<size_t>(i.index)];
    const bool send = i.kind == Kind::kSend;
    CUTSET_TRY(same(c.type, at(send ? i.operands[0] : i.results[0]).type, "a transfer"));
    if ((send ? c.from : c.to) != static_cast<int32_t>(device)) return bad("has a channel of another device");
    std::vector<bool>& used = send ? sent_ : received_;
    if (used[static_cast<size_t>(i.index)]) return bad("has a channel that another one uses");
    used[static_cast<size_t>(i.index)] = true;
    return {};
  }

  Status sum(const Instruction& i, size_t device, bool apply) {
    if (!within(i.index, f_.collectives)) return bad("has a sum that is none");
    const auto index = static_cast<size_t>(i.index);
    const Collective& c = f_.collectives[index];
    const bool start = i.kind == Kind::kReduceStart;
    CUTSET_TRY(same(c.type, at(start ? i.operands[0] : i.results[0]).type, "a part of a sum"));
    if (!start) return {};
    if (!within(i.part, c.parts) || c.parts[static_cast<size_t>(i.part)].device != static_cast<int32_t>(device))
      return bad("has a part of a sum that is another device's");
    if (started_[index][static_cast<size_t>(i.part)]) return bad("has a part of a sum that another one has");
    if (started_in_[index] != kNone && started_in_[index] != apply)
      return bad("has a part of a sum whose other parts are on the other side of the commit");
    started_[index][static_cast<size_t>(i.part)] = true, started_in_[index] = apply;
    return {};
  }

  // What must happen once a step does.
  Status complete() {
    for (size_t c = 0; c < f_.channels.size(); ++c)
      if (!sent_[c] || !received_[c])
        return wrong(f_, "channel " + std::to_string(c) + " has no sender or no receiver");
    for (size_t c = 0; c < f_.collectives.size(); ++c)
      if (std::find(started_[c].begin(), started_[c].end(), false) != started_[c].end())
        return wrong(f_, "sum " + std::to_string(c) + " lacks a part");
    for (size_t o = 0; o < f_.outputs.size(); ++o) {
      std::sort(written_[o].begin(), written_[o].end());
      uint64_t end = 0;
      bool once = !written_[o].empty();
      for (auto [offset, bytes] : written_[o]) once &= offset == end, end += bytes;
      if (!once || end != bytes_of(f_.outputs[o].type))
        return wrong(f_, "output '" + f_.outputs[o].name + "' is not written whole and once");
    }
    return {};
  }

  Status kernel(const Instruction& i, size_t device) const {
    const OpInfo* op = find_op(i.op);
    if (!op) return bad("has an op that is none");
    if (!i.pieces.empty()) return bad("has a bucket and is no sum");
    if (i.scratch != kNone && (!within(i.scratch, f_.buffers) || at(i.scratch).storage != Storage::kArena ||
                               at(i.scratch).device != static_cast<int32_t>(device)))
      return bad("has scratch memory that is none");
    CUTSET_TRY(check_operand_count(*op, i.operands.size()));
    if (i.results.size() != op->results.size()) return bad("has another number of results than its op");
    CUTSET_ASSIGN(const FlatAttrs attributes, FlatAttrs::pack(op->schema, i.attributes));
    Types in, out;
    for (size_t n = 0; n < i.operands.size(); ++n) {
      const Buffer& b = at(i.operands[n]);
      if (b.storage == Storage::kTypeOnly && !op->reads_type_only(n)) return bad("reads a value that has none");
      in.push_back(b.type);
    }
    for (int32_t b : i.results) out.push_back(at(b).type);
    CUTSET_ASSIGN(const Types types, op->infer(attributes.data(), in));
    return types == out ? Status() : bad("does not make what its results hold");
  }

  const Program& p_;
  const Function& f_;
  std::vector<bool> sent_, received_, signalled_;
  std::vector<std::vector<bool>> started_;                           // the parts of each sum
  std::vector<int32_t> started_in_;                                  // by sum: in compute (0) or apply (1)
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> written_;  // of each output: offset, bytes
};

}  // namespace

Failure wrong(const Function& f, const std::string& what) { return invalid_data("'" + f.name + "': " + what); }

std::string place(const Function& f, size_t device, int queue, bool apply, size_t index) {
  static constexpr const char* kNames[kQueues] = {"in", "compute", "out"};
  const DevicePlan& d = f.devices[device];
  const Instruction& i = (apply ? d.queues[queue].apply : d.queues[queue].compute)[index];
  auto shown = [](const std::string& text) { return is_printable(text) ? text : std::string("?"); };
  std::string s = "instruction " + std::to_string(index) + " of the " + kNames[queue] + " queue of " + d.device +
                  (apply ? ", after the commit" : "");
  if (!i.op.empty()) s += " ('" + shown(i.op) + "'" + (i.label.empty() ? "" : " of " + shown(i.label)) + ")";
  return s;
}

Status check_instructions(const Program& p, const Function& f) { return InstructionCheck(p, f).run(); }

}  // namespace cutset::check
