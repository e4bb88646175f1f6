#include "runtime/program/check/instructions.h"

#include <algorithm>

#include "ir/core/op_info.h"
#include "runtime/program/check/check.h"

namespace cutset::check {
namespace {

using Kind = Instruction::Kind;

uint64_t bytes_of(const TensorType& t) { return static_cast<uint64_t>(t.bytes()); }

// The queue in which instructions of a kind run, and their numbers of operands and results. A kernel's numbers are
// those of its op.
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
  explicit InstructionCheck(const Function& function)
      : f_(function), sent_(f_.channels.size(), false), received_(f_.channels.size(), false) {
    for (const Collective& c : f_.collectives) started_.emplace_back(c.partials.size(), false);
    started_in_.assign(f_.collectives.size(), kNone);
    written_.resize(f_.outputs.size());
  }

  Status run() {
    for (size_t d = 0; d < f_.devices.size(); ++d) {
      signalled_.assign(static_cast<size_t>(f_.devices[d].events), false);
      CUTSET_TRY(for_each_instruction(f_.devices[d], [&](const Instruction& i, int q, bool apply, size_t n) -> Status {
        auto status = instruction(i, d, static_cast<Queue>(q), apply);
        return status.ok() ? status : wrong(f_, place(f_, d, q, apply, n) + ": " + status.error().what);
      }));
      const auto event = std::find(signalled_.begin(), signalled_.end(), false);
      if (event != signalled_.end())
        return wrong(f_, "event " + std::to_string(event - signalled_.begin()) + " of " + f_.devices[d].device +
                             " is never signalled");
    }
    return complete();
  }

 private:
  // A mistake of one instruction. run() puts the place of the instruction in front of the message.
  static Failure bad(const std::string& what) { return invalid_data(what); }

  const std::string& name_of_device(int32_t d) const { return f_.devices[static_cast<size_t>(d)].device; }
  static std::string name_of(int32_t b) { return "buffer " + std::to_string(b); }

  const Buffer& at(int32_t b) const { return f_.buffers[static_cast<size_t>(b)]; }

  Status instruction(const Instruction& i, size_t device, Queue queue, bool apply) {
    for (const std::string* text : {&i.op, &i.kernel, &i.layer, &i.source}) CUTSET_TRY(printable(*text));
    if (i.kind < Kind::kKernel || i.kind > Kind::kWait)
      return bad("its kind " + std::to_string(static_cast<int32_t>(i.kind)) + " is unknown");
    for (const auto* list : {&i.operands, &i.results, &i.pieces})
      for (int32_t b : *list) CUTSET_TRY(on_device(b, device));
    const Form form = form_of(i.kind, queue);
    static constexpr const char* kNames[kQueues] = {"in", "compute", "out"};
    if (queue != form.queue)
      return bad(std::string("an instruction of its kind belongs to the ") + kNames[static_cast<int>(form.queue)] +
                 " queue");
    for (int32_t b : i.results)
      if (at(b).storage == Storage::kTypeOnly || at(b).storage == Storage::kConstant)
        return bad("it writes " + name_of(b) +
                   (at(b).storage == Storage::kConstant ? ", which is a constant" : ", which has a type and no value"));
    if (i.kind == Kind::kKernel) return kernel(i, device);
    if (i.operands.size() != form.operands || i.results.size() != form.results || i.scratch != kNone)
      return bad("it has " + counted(i.operands.size(), "operand") + ", " + counted(i.results.size(), "result") +
                 " and " + (i.scratch == kNone ? "no " : "") + "scratch memory; its kind takes " +
                 counted(form.operands, "operand") + ", " + counted(form.results, "result") + " and no scratch memory");
    for (int32_t b : i.operands)
      if (at(b).storage == Storage::kTypeOnly) return bad("it reads " + name_of(b) + ", which has a type and no value");
    CUTSET_TRY(pieces(i));
    switch (i.kind) {
      case Kind::kCopy:
        return same(at(i.operands[0]).type, name_of(i.operands[0]), i.results[0]);
      case Kind::kInput:
        return rows(i, f_.inputs, "input", i.results[0]);
      case Kind::kOutput:
        CUTSET_TRY(rows(i, f_.outputs, "output", i.operands[0]));
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
        if (!within(i.index, signalled_))
          return bad(out_of_range("event", i.index, signalled_.size(), f_.devices[device].device));
        if (i.kind == Kind::kWait) return {};
        if (signalled_[static_cast<size_t>(i.index)])
          return bad("it signals event " + std::to_string(i.index) + ", which another instruction signals, too");
        signalled_[static_cast<size_t>(i.index)] = true;
        return {};
      case Kind::kKernel:
        break;
    }
    return {};
  }

  Status on_device(int32_t b, size_t device) const {
    if (!within(b, f_.buffers)) return bad(out_of_range("buffer", b, f_.buffers.size(), "the function"));
    if (at(b).device == static_cast<int32_t>(device)) return {};
    return bad(name_of(b) + " is on " + name_of_device(at(b).device) + ", and the instruction is on " +
               f_.devices[device].device);
  }

  // Fails unless `type` and the type of the buffer have the same element type and size. `name` says what has this type.
  Status same(const TensorType& type, const std::string& name, int32_t buffer) const {
    const TensorType& other = at(buffer).type;
    if (type.dtype == other.dtype && type.bytes() == other.bytes()) return {};
    return bad(name + " is " + to_string(type) + ", and " + name_of(buffer) + " is " + to_string(other));
  }

  // The tensors of a bucket must lie in the bucket and must not overlap.
  Status pieces(const Instruction& i) const {
    if (i.pieces.empty()) return {};
    if (i.kind != Kind::kReduceStart && i.kind != Kind::kReduceWait)
      return bad("it has a bucket, which only an all_reduce may have");
    const int32_t bucket = i.results.empty() ? i.operands[0] : i.results[0];
    const Buffer& whole = at(bucket);
    if (whole.storage != Storage::kArena || whole.view_of != kNone)
      return bad("its bucket, " + name_of(bucket) + ", is not a buffer of its own in the arena");
    std::vector<int32_t> list = i.pieces;
    std::sort(list.begin(), list.end(), [&](int32_t a, int32_t b) { return at(a).offset < at(b).offset; });
    uint64_t end = whole.offset;
    for (int32_t b : list) {
      if (at(b).storage != Storage::kArena || at(b).type.dtype != whole.type.dtype || at(b).offset < end)
        return bad(name_of(b) + " does not lie in its bucket, " + name_of(bucket) +
                   ", or overlaps another tensor of the bucket, or has another element type");
      end = at(b).offset + bytes_of(at(b).type);
    }
    if (end <= whole.offset + bytes_of(whole.type)) return {};
    return bad("the tensors of its bucket, " + name_of(bucket) + ", end at byte " + std::to_string(end - whole.offset) +
               " of the bucket, which has " + std::to_string(whole.type.bytes()) + " bytes");
  }

  Status rows(const Instruction& i, const std::vector<Port>& ports, const std::string& what, int32_t buffer) const {
    if (!within(i.index, ports)) return bad(out_of_range(what, i.index, ports.size(), "the function"));
    const Port& port = ports[static_cast<size_t>(i.index)];
    const TensorType& part = at(buffer).type;
    const std::string name = what + " '" + port.name + "', which is " + to_string(port.type);
    if (part.dtype != port.type.dtype)
      return bad(name_of(buffer) + ", which is " + to_string(part) + ", has another element type than " + name);
    const uint64_t whole = bytes_of(port.type);
    if (i.offset > whole || bytes_of(part) > whole - i.offset)
      return bad("it copies " + std::to_string(part.bytes()) + " bytes at offset " + std::to_string(i.offset) + " of " +
                 name + " and has " + std::to_string(whole) + " bytes");
    return {};
  }

  Status transfer(const Instruction& i, size_t device) {
    if (!within(i.index, f_.channels)) return bad(out_of_range("channel", i.index, f_.channels.size(), "the function"));
    const Channel& c = f_.channels[static_cast<size_t>(i.index)];
    const std::string name = "channel " + std::to_string(i.index);
    const bool send = i.kind == Kind::kSend;
    CUTSET_TRY(same(c.type, name, send ? i.operands[0] : i.results[0]));
    if ((send ? c.from : c.to) != static_cast<int32_t>(device))
      return bad(name + " leads from " + name_of_device(c.from) + " to " + name_of_device(c.to));
    std::vector<bool>& used = send ? sent_ : received_;
    if (used[static_cast<size_t>(i.index)]) return bad(name + " has two " + (send ? "senders" : "receivers"));
    used[static_cast<size_t>(i.index)] = true;
    return {};
  }

  Status sum(const Instruction& i, size_t device, bool apply) {
    if (!within(i.index, f_.collectives))
      return bad(out_of_range("all_reduce", i.index, f_.collectives.size(), "the function"));
    const auto index = static_cast<size_t>(i.index), part = static_cast<size_t>(i.partial);
    const Collective& c = f_.collectives[index];
    const std::string name = "all_reduce " + std::to_string(i.index);
    const bool start = i.kind == Kind::kReduceStart;
    CUTSET_TRY(same(c.type, name, start ? i.operands[0] : i.results[0]));
    if (!start) return {};
    if (!within(i.partial, c.partials)) return bad(out_of_range("partial sum", i.partial, c.partials.size(), name));
    const std::string its_part = "partial sum " + std::to_string(i.partial) + " of " + name;
    if (c.partials[part].device != static_cast<int32_t>(device))
      return bad(its_part + " belongs to " + name_of_device(c.partials[part].device));
    if (started_[index][part]) return bad(its_part + " is started twice");
    if (started_in_[index] != kNone && started_in_[index] != apply)
      return bad(its_part + " is started in " +
                 (apply ? "`apply` and another one in `compute`" : "`compute` and another one in `apply`"));
    started_[index][part] = true, started_in_[index] = apply;
    return {};
  }

  // In a step, every channel must be used, every partial sum must be started, and every output must be written.
  Status complete() {
    for (size_t c = 0; c < f_.channels.size(); ++c)
      if (!sent_[c] || !received_[c])
        return wrong(f_, "channel " + std::to_string(c) + " has no " + (sent_[c] ? "receiver" : "sender"));
    for (size_t c = 0; c < f_.collectives.size(); ++c) {
      const auto part = std::find(started_[c].begin(), started_[c].end(), false);
      if (part != started_[c].end())
        return wrong(f_, "partial sum " + std::to_string(part - started_[c].begin()) + " of all_reduce " +
                             std::to_string(c) + " is never started");
    }
    for (size_t o = 0; o < f_.outputs.size(); ++o) {
      std::sort(written_[o].begin(), written_[o].end());
      uint64_t end = 0;
      bool once = !written_[o].empty();
      for (auto [offset, bytes] : written_[o]) once &= offset == end, end += bytes;
      if (!once || end != bytes_of(f_.outputs[o].type))
        return wrong(f_, "the " + std::to_string(f_.outputs[o].type.bytes()) + " bytes of output '" +
                             f_.outputs[o].name + "' are not all written exactly once");
    }
    return {};
  }

  Status kernel(const Instruction& i, size_t device) const {
    const OpInfo* op = find_op(i.op);
    if (!op) return bad("there is no op '" + i.op + "'");
    if (!i.pieces.empty()) return bad("it has a bucket, which only an all_reduce may have");
    if (i.scratch != kNone) {
      CUTSET_TRY(on_device(i.scratch, device));
      if (at(i.scratch).storage != Storage::kArena)
        return bad("its scratch memory, " + name_of(i.scratch) + ", does not lie in the arena");
    }
    CUTSET_TRY(check_operand_count(*op, i.operands.size()));
    if (i.results.size() != op->results.size())
      return bad("it has " + counted(i.results.size(), "result") + ", and '" + i.op + "' has " +
                 counted(op->results.size(), "result"));
    CUTSET_ASSIGN(const FlatAttrs attributes, FlatAttrs::pack(op->schema, i.attributes));
    Types in, out;
    for (size_t n = 0; n < i.operands.size(); ++n) {
      const Buffer& b = at(i.operands[n]);
      if (b.storage == Storage::kTypeOnly && !op->reads_type_only(n))
        return bad("it reads " + name_of(i.operands[n]) + ", which has a type and no value");
      in.push_back(b.type);
    }
    for (int32_t b : i.results) out.push_back(at(b).type);
    CUTSET_ASSIGN(const Types types, op->infer(attributes.data(), in));
    for (size_t r = 0; r < out.size(); ++r)
      if (types[r] != out[r])
        return bad("result " + std::to_string(r) + " of '" + i.op + "' is " + to_string(types[r]) + ", and " +
                   name_of(i.results[r]) + " is " + to_string(out[r]));
    return {};
  }

  const Function& f_;
  std::vector<bool> sent_, received_;       // by channel
  std::vector<bool> signalled_;             // by event of the device whose instructions are being checked
  std::vector<std::vector<bool>> started_;  // by all_reduce and partial sum
  std::vector<int32_t> started_in_;         // by all_reduce: started in compute (0) or in apply (1)
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> written_;  // by output: the offset and size of each part
};

}  // namespace

Status check_instructions(const Function& f) { return InstructionCheck(f).run(); }

}  // namespace cutset::check
