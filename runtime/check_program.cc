#include <algorithm>
#include <map>
#include <set>

#include "ir/core/op_info.h"
#include "runtime/all_reduce.h"
#include "runtime/program_file.h"

namespace cutset {
namespace {

template <class List>
bool within(int64_t index, const List& list) {
  return index >= 0 && index < static_cast<int64_t>(list.size());
}

class FunctionCheck {
 public:
  FunctionCheck(const Program& program, const Function& function) : p_(program), f_(function) {}

  Status run() {
    if (f_.devices.size() != p_.devices.size()) return wrong("plans for other devices than the program's");
    for (const auto* ports : {&f_.inputs, &f_.outputs})
      for (const Port& port : *ports) CUTSET_TRY(check_type(port.type));
    for (const Port& port : f_.inputs) CUTSET_TRY(fed(port));
    for (const Port& port : f_.outputs)
      if (port.feed != Feed::kCaller) return wrong("output '" + port.name + "' is one that the session feeds");
    for (int64_t rows : f_.shards)
      if (rows < 0) return wrong("a shard of less than no rows");
    for (size_t b = 0; b < f_.buffers.size(); ++b) CUTSET_TRY(buffer(f_.buffers[b], b));
    for (const Channel& c : f_.channels) {
      if (!within(c.from, f_.devices) || !within(c.to, f_.devices))
        return wrong("a channel between devices that are none");
      CUTSET_TRY(check_type(c.type));
    }
    for (const Collective& c : f_.collectives) {
      CUTSET_TRY(check_type(c.type));
      if (auto tree = additions_of(c.parts); !tree) return tree.error();
      for (const Collective::Part& part : c.parts)
        if (!within(part.device, f_.devices)) return wrong("a part of a sum on a device that is none");
    }
    for (size_t d = 0; d < f_.devices.size(); ++d) CUTSET_TRY(plan(f_.devices[d], static_cast<int32_t>(d)));
    for (const FiniteCheck& c : f_.checks) CUTSET_TRY(finite_check(c));
    return ends();
  }

 private:
  Failure wrong(const std::string& what) const { return invalid_data("'" + f_.name + "': " + what); }

  // What the session feeds are scalars of types that it can give.
  Status fed(const Port& port) const {
    const TensorType& t = port.type;
    const bool number = t.dtype == DType::f32 || t.dtype == DType::f64;
    if (port.feed == Feed::kCaller) return {};
    if (port.feed == Feed::kStep && t == TensorType{DType::i64, {}}) return {};
    if (port.feed == Feed::kHyperParameter && t.rank() == 0 && number) return {};
    return wrong("input '" + port.name + "' of " + to_string(t) + " is not one that the session can feed");
  }

  Status finite_check(const FiniteCheck& c) const {
    auto is_here = [&](int32_t b) {
      return within(b, f_.buffers) && f_.buffers[static_cast<size_t>(b)].device == c.device &&
             f_.buffers[static_cast<size_t>(b)].storage != Storage::kTypeOnly;
    };
    if (!within(c.device, f_.devices) || !is_here(c.flag)) return wrong("a check has no flag on its device");
    if (f_.buffers[static_cast<size_t>(c.flag)].type != TensorType{DType::i1, {}})
      return wrong("the flag of a check is not a scalar of i1");
    for (const FiniteCheck::Tensor& t : c.tensors)
      if (!is_here(t.buffer)) return wrong("a check of '" + t.name + "' looks at a buffer that is not its device's");
    return {};
  }

  Status buffer(const Buffer& b, size_t number) const {
    CUTSET_TRY(check_type(b.type));
    if (!within(b.device, f_.devices)) return wrong("a buffer on a device that is none");
    const auto bytes = static_cast<uint64_t>(b.type.bytes());
    // Views are known behind what they are views of, which keeps them from going in circles.
    if (b.view_of != kNone && (b.view_of < 0 || static_cast<size_t>(b.view_of) >= number))
      return wrong("a view of a buffer that is none");
    switch (b.storage) {
      case Storage::kArena: {
        const uint64_t arena = f_.devices[static_cast<size_t>(b.device)].arena_bytes;
        if (b.offset > arena || bytes > arena - b.offset) return wrong("a buffer beyond the end of its arena");
        if (b.offset % 16 != 0) return wrong("a buffer at an odd address");
        return {};
      }
      case Storage::kVariable: {
        if (!within(b.index, p_.variables)) return wrong("a variable that is none");
        const Variable& v = p_.variables[static_cast<size_t>(b.index)];
        if (v.type.bytes() != b.type.bytes() || v.type.dtype != b.type.dtype)
          return wrong("variable '" + v.name + "' of another type");
        if (std::find(v.homes.begin(), v.homes.end(), b.device) == v.homes.end())
          return wrong("variable '" + v.name + "' away from its homes");
        return {};
      }
      case Storage::kConstant:
        if (!within(b.index, p_.constants)) return wrong("a constant that is none");
        if (p_.constants[static_cast<size_t>(b.index)].bytes.size() != bytes ||
            p_.constants[static_cast<size_t>(b.index)].device != b.device)
          return wrong("a constant of another type or device");
        return {};
      case Storage::kTypeOnly:
        return {};
    }
    return wrong("a buffer of an unknown kind");
  }

  Status plan(const DevicePlan& d, int32_t device) {
    if (d.device != p_.devices[static_cast<size_t>(device)])
      return wrong("devices in another order than the program's");
    if (d.events < 0 || d.events > 1'000'000) return wrong("too many events");
    if (d.arena_bytes > uint64_t{1} << 48) return wrong("an arena of " + std::to_string(d.arena_bytes) + " bytes");
    std::set<int32_t> signalled;
    for (const Sequence& s : d.queues)
      for (const auto* list : {&s.compute, &s.apply})
        for (const Instruction& i : *list) {
          CUTSET_TRY(instruction(i, device, d.events));
          if (i.kind == Instruction::Kind::kSignal) signalled.insert(i.index);
        }
    for (const Sequence& s : d.queues)
      for (const auto* list : {&s.compute, &s.apply})
        for (const Instruction& i : *list)
          if (i.kind == Instruction::Kind::kWait && !signalled.contains(i.index))
            return wrong("a wait for what nothing signals");
    return {};
  }

  Status instruction(const Instruction& i, int32_t device, int32_t events) {
    using Kind = Instruction::Kind;
    for (const auto* list : {&i.operands, &i.results, &i.pieces})
      for (int32_t b : *list)
        if (!within(b, f_.buffers) || f_.buffers[static_cast<size_t>(b)].device != device)
          return wrong("'" + i.op + "' works on a buffer that is not its device's");
    if (i.scratch != kNone &&
        (!within(i.scratch, f_.buffers) || f_.buffers[static_cast<size_t>(i.scratch)].device != device ||
         f_.buffers[static_cast<size_t>(i.scratch)].storage != Storage::kArena))
      return wrong("'" + i.op + "' has scratch memory that is none");
    auto one = [&](const std::vector<int32_t>& list) -> const Buffer* {
      if (list.size() != 1) return nullptr;
      const Buffer& b = f_.buffers[static_cast<size_t>(list[0])];
      return b.storage == Storage::kTypeOnly ? nullptr : &b;
    };
    auto writable = [&](const Buffer* b) { return b && b->storage != Storage::kConstant; };
    const Buffer *from = one(i.operands), *to = one(i.results);
    switch (i.kind) {
      case Kind::kKernel:
        return kernel(i);
      case Kind::kCopy:
        return from && writable(to) && from->type.bytes() == to->type.bytes() ? Status()
                                                                              : wrong("a copy that does not fit");
      case Kind::kInput:
      case Kind::kOutput: {
        const auto& ports = i.kind == Kind::kInput ? f_.inputs : f_.outputs;
        const Buffer* b = i.kind == Kind::kInput ? (writable(to) ? to : nullptr) : from;
        if (!within(i.index, ports) || !b) return wrong("an input or output that is none");
        const auto whole = static_cast<uint64_t>(ports[static_cast<size_t>(i.index)].type.bytes()),
                   part = static_cast<uint64_t>(b->type.bytes());
        if (i.offset > whole || part > whole - i.offset)
          return wrong("rows beyond the end of '" + ports[static_cast<size_t>(i.index)].name + "'");
        return {};
      }
      case Kind::kSend:
      case Kind::kRecv: {
        const Buffer* b = i.kind == Kind::kSend ? from : (writable(to) ? to : nullptr);
        if (!within(i.index, f_.channels) || !b) return wrong("a transfer over a channel that is none");
        const Channel& c = f_.channels[static_cast<size_t>(i.index)];
        if (c.type.bytes() != b->type.bytes() || (i.kind == Kind::kSend ? c.from : c.to) != device)
          return wrong("a transfer that its channel does not take");
        return used_once(i.kind == Kind::kSend ? sent_ : received_, i.index);
      }
      case Kind::kReduceStart:
      case Kind::kReduceWait: {
        const bool start = i.kind == Kind::kReduceStart;
        const Buffer* b = start ? from : (writable(to) ? to : nullptr);
        if (!within(i.index, f_.collectives) || !b) return wrong("a part of a sum that is none");
        const Collective& c = f_.collectives[static_cast<size_t>(i.index)];
        if (c.type.bytes() != b->type.bytes()) return wrong("a part of a sum of another size");
        if (!start) return {};
        if (!within(i.part, c.parts) || c.parts[static_cast<size_t>(i.part)].device != device)
          return wrong("a part of a sum from another device");
        return parts_.insert({i.index, i.part}).second ? Status() : wrong("a part of a sum twice");
      }
      case Kind::kSignal:
      case Kind::kWait:
        return i.index >= 0 && i.index < events ? Status() : wrong("an event that is none");
    }
    return wrong("an instruction of an unknown kind");
  }

  // Queues run in order, and what they wait for is signalled once a step, so playing them shows whether a step
  // comes to its end.
  Status ends() const {
    using Kind = Instruction::Kind;
    std::set<std::pair<size_t, int32_t>> events;
    std::set<int32_t> sent;
    std::map<int32_t, size_t> parts;
    for (bool apply : {false, true}) {
      std::vector<size_t> next(f_.devices.size() * kQueues, 0);
      auto list_of = [&](size_t q) -> const std::vector<Instruction>& {
        const Sequence& s = f_.devices[q / kQueues].queues[q % kQueues];
        return apply ? s.apply : s.compute;
      };
      for (bool progress = true; progress;) {
        progress = false;
        for (size_t q = 0; q < next.size(); ++q)
          for (; next[q] < list_of(q).size(); ++next[q], progress = true) {
            const Instruction& i = list_of(q)[next[q]];
            if (i.kind == Kind::kWait && !events.contains({q / kQueues, i.index})) break;
            if (i.kind == Kind::kRecv && !sent.contains(i.index)) break;
            if (i.kind == Kind::kReduceWait &&
                parts[i.index] != f_.collectives[static_cast<size_t>(i.index)].parts.size())
              break;
            if (i.kind == Kind::kSignal) events.insert({q / kQueues, i.index});
            if (i.kind == Kind::kSend) sent.insert(i.index);
            if (i.kind == Kind::kReduceStart) ++parts[i.index];
          }
      }
      for (size_t q = 0; q < next.size(); ++q)
        if (next[q] < list_of(q).size())
          return wrong("device '" + f_.devices[q / kQueues].device + "' waits for what never comes");
    }
    return {};
  }

  Status used_once(std::set<int32_t>& seen, int32_t channel) {
    return seen.insert(channel).second ? Status() : wrong("a channel that is used twice in a step");
  }

  Status kernel(const Instruction& i) {
    const OpInfo* op = find_op(i.op);
    if (!op) return wrong("there is no op '" + i.op + "'");
    auto attributes = FlatAttrs::pack(op->schema, i.attributes);
    if (!attributes) return wrong("'" + i.op + "': " + attributes.error().what);
    Types in, out;
    for (size_t n = 0; n < i.operands.size(); ++n) {
      const Buffer& b = f_.buffers[static_cast<size_t>(i.operands[n])];
      if (b.storage == Storage::kTypeOnly && !op->reads_type_only(n))
        return wrong("'" + i.op + "' reads a value that has none");
      in.push_back(b.type);
    }
    for (int32_t b : i.results) {
      const Buffer& buffer = f_.buffers[static_cast<size_t>(b)];
      if (buffer.storage == Storage::kTypeOnly || buffer.storage == Storage::kConstant)
        return wrong("'" + i.op + "' writes what is not to be written");
      out.push_back(buffer.type);
    }
    const bool variadic = op->operands.size() == 1 && in.size() > 1;
    if (!variadic && in.size() != op->operands.size() && in.size() + 1 != op->operands.size())
      return wrong("'" + i.op + "' has too many operands, or too few");
    if (in.empty()) return wrong("'" + i.op + "' has no operand");
    auto types = op->infer(attributes->data(), in);
    if (!types) return wrong("'" + i.op + "': " + types.error().what);
    return *types == out ? Status() : wrong("'" + i.op + "' does not make what its results hold");
  }

  const Program& p_;
  const Function& f_;
  std::set<int32_t> sent_, received_;
  std::set<std::pair<int32_t, int32_t>> parts_;
};

}  // namespace

Status check_program(const Program& p) {
  if (p.devices.empty() || p.devices.size() > 1024) return invalid_data("it has no devices, or too many");
  if (std::set<std::string>(p.devices.begin(), p.devices.end()).size() != p.devices.size())
    return invalid_data("a device is there twice");
  std::set<std::string> names;
  for (const Variable& v : p.variables) {
    CUTSET_TRY(check_type(v.type));
    if (!names.insert(v.name).second) return invalid_data("variable '" + v.name + "' is there twice");
    if (v.homes.empty()) return invalid_data("variable '" + v.name + "' has no home");
    if (std::set<int32_t>(v.homes.begin(), v.homes.end()).size() != v.homes.size())
      return invalid_data("variable '" + v.name + "' is twice on one device");
    for (int32_t home : v.homes)
      if (!within(home, p.devices)) return invalid_data("variable '" + v.name + "' lives on a device that is none");
  }
  for (const Variable& v : p.variables)
    if (!v.state_of.empty() && !names.contains(v.state_of))
      return invalid_data("variable '" + v.name + "' is state of '" + v.state_of + "', which is no variable");
  for (const Constant& c : p.constants) {
    CUTSET_TRY(check_type(c.type));
    if (!within(c.device, p.devices) || static_cast<int64_t>(c.bytes.size()) != c.type.bytes())
      return invalid_data("a constant without its bytes or device");
  }
  std::set<std::string> functions;
  for (const Function& f : p.functions) {
    if (!functions.insert(f.name).second) return invalid_data("function '" + f.name + "' is there twice");
    CUTSET_TRY(FunctionCheck(p, f).run());
  }
  return {};
}

}  // namespace cutset
