// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/check/instructions.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "ir/core/number_text.h"
#include "ir/core/op/op_info.h"
#include "runtime/program/check/check.h"

namespace cutset::checks {
namespace {

// Returns the queue to which the command belongs. Signals and waits belong to any queue.
Queue queue_of(const Command& command, Queue here) {
  return std::visit(
      [&](const auto& c) {
        if constexpr (requires { c.event; })
          return here;
        else if constexpr (
            requires {
              c.from;
              c.to;
            } || requires { c.kernel; })
          return Queue::kCompute;
        else if constexpr (requires { c.to; })
          return Queue::kIn;
        else
          return Queue::kOut;
      },
      command);
}

class InstructionCheck {
 public:
  explicit InstructionCheck(const Function& function)
      : f_(function), sent_(f_.channels.size(), false), received_(f_.channels.size(), false) {
    for (const Collective& c : f_.collectives) started_.emplace_back(c.partials.size(), false);
    started_in_.assign(f_.collectives.size(), kNone);
    layouts_.resize(f_.collectives.size());
    written_.resize(f_.outputs.size());
  }

  Status run() {
    for (size_t d = 0; d < f_.devices.size(); ++d) {
      signalled_.assign(static_cast<size_t>(f_.devices[d].events), false);
      CUTSET_TRY(for_each_instruction(
          f_.devices[d], [&](const Instruction& i, int q, bool apply, size_t n) -> Status {
            auto status = instruction(i, d, static_cast<Queue>(q), apply);
            return status.ok() ? status : wrong(f_, place(f_, d, q, apply, n) + ": " + status.error().what);
          }));
      const auto event = std::find(signalled_.begin(), signalled_.end(), false);
      if (event != signalled_.end())
        return wrong(f_, "event " + std::to_string(event - signalled_.begin()) + " of " +
                             f_.devices[d].device + " is never signalled");
    }
    return complete();
  }

 private:
  // Returns the failure for a mistake of one instruction. run() puts the place of the instruction in front of
  // the message.
  static Failure bad(const std::string& what) { return invalid_data(what); }

  const std::string& name_of_device(int32_t d) const { return f_.devices[static_cast<size_t>(d)].device; }
  static std::string name_of(BufferId b) { return "buffer " + std::to_string(b.value); }

  const Buffer& at(BufferId b) const { return f_.buffers[b]; }

  Status instruction(const Instruction& i, size_t device, Queue queue, bool apply) {
    for (const std::string* text : {&i.op(), &i.layer(), &i.source(), &i.role()})
      CUTSET_TRY(printable(*text));
    if (i.stage() < kNone || i.stage() == std::numeric_limits<int32_t>::max())
      return bad("its stage " + std::to_string(i.stage()) + " is not the number of a stage");
    for (const auto list : {i.operands(), i.results(), i.pieces()})
      for (BufferId b : list) CUTSET_TRY(on_device(b, device));
    static constexpr const char* kNames[kQueues] = {"in", "compute", "out"};
    if (const Queue proper = queue_of(i.command, queue); queue != proper)
      return bad(std::string("an instruction of its kind belongs to the ") +
                 kNames[static_cast<int>(proper)] + " queue");
    for (BufferId b : i.results())
      if (at(b).storage == Storage::kTypeOnly || at(b).storage == Storage::kConstant)
        return bad("it writes " + name_of(b) +
                   (at(b).storage == Storage::kConstant ? ", which is a constant"
                                                        : ", which has a type and no value"));
    if (const auto* c = i.as<RunKernel>()) return kernel(i, *c, device);
    for (BufferId b : i.operands())
      if (at(b).storage == Storage::kTypeOnly)
        return bad("it reads " + name_of(b) + ", which has a type and no value");
    if (!i.pieces().empty()) CUTSET_TRY(pieces(i));
    return std::visit([&](const auto& c) { return command(c, device, apply); }, i.command);
  }

  Status command(const RunKernel&, size_t, bool) { return {}; }  // kernel() has checked it
  Status command(const CopyBuffer& c, size_t, bool) { return same(at(c.from).type, name_of(c.from), c.to); }
  Status command(const ReadInput& c, size_t, bool) {
    return rows(c.input, c.first, f_.inputs, "input", c.to);
  }
  Status command(const WriteOutput& c, size_t, bool) {
    CUTSET_TRY(rows(c.output, c.first, f_.outputs, "output", c.from));
    Written& written = written_[c.output.index()];
    if (written.rows.empty()) written.dimension = c.first.dimension;
    if (written.dimension != c.first.dimension)
      return bad("it writes rows along dimension " + std::to_string(c.first.dimension) + " of output '" +
                 f_.outputs[c.output].name + "', and another instruction writes rows along dimension " +
                 std::to_string(written.dimension));
    written.rows.emplace_back(c.first.start, size_along(at(c.from).type, c.first.dimension));
    return {};
  }
  Status command(const Send& c, size_t device, bool) { return transfer(c.channel, c.from, device, true); }
  Status command(const Receive& c, size_t device, bool) { return transfer(c.channel, c.to, device, false); }
  Status command(const StartAllReduce& c, size_t device, bool apply) {
    CUTSET_TRY(summed(c.collective, c.from));
    const auto index = c.collective.index(), part = static_cast<size_t>(c.partial);
    const std::string name = "all_reduce " + std::to_string(index);
    const auto& partials = f_.collectives[index].partials;
    if (!within(c.partial, partials))
      return bad(out_of_range("partial sum", c.partial, partials.size(), name));
    const std::string its_part = "partial sum " + std::to_string(part) + " of " + name;
    if (partials[part].device != static_cast<int32_t>(device))
      return bad(its_part + " belongs to " + name_of_device(partials[part].device));
    if (started_[index][part]) return bad(its_part + " is started twice");
    if (started_in_[index] != kNone && started_in_[index] != apply)
      return bad(its_part + " is started in " +
                 (apply ? "`apply` and another one in `compute`" : "`compute` and another one in `apply`"));
    started_[index][part] = true;
    started_in_[index] = apply;
    return same_tensors(c.collective, c.from, c.pieces);
  }
  Status command(const AwaitAllReduce& c, size_t, bool) {
    CUTSET_TRY(summed(c.collective, c.to));
    return same_tensors(c.collective, c.to, c.pieces);
  }
  Status command(const SignalEvent& c, size_t device, bool) {
    CUTSET_TRY(event_exists(c.event, device));
    if (signalled_[c.event.index()])
      return bad("it signals event " + std::to_string(c.event.value) +
                 ", which another instruction signals, too");
    signalled_[c.event.index()] = true;
    return {};
  }
  Status command(const AwaitEvent& c, size_t device, bool) { return event_exists(c.event, device); }
  Status command(const CallRole&, size_t, bool) { return bad("a role is called in an expanded function"); }

  Status event_exists(EventId event, size_t device) const {
    if (within(event.value, signalled_)) return {};
    return bad(out_of_range("event", event.value, signalled_.size(), f_.devices[device].device));
  }

  Status on_device(BufferId b, size_t device) const {
    if (!within(b.value, f_.buffers))
      return bad(out_of_range("buffer", b.value, f_.buffers.size(), "the function"));
    if (at(b).device == static_cast<int32_t>(device)) return {};
    return bad(name_of(b) + " is on " + name_of_device(at(b).device) + ", and the instruction is on " +
               f_.devices[device].device);
  }

  // Fails unless `type` and the type of the buffer have the same element type and size. `name` says what has
  // this type.
  Status same(const TensorType& type, const std::string& name, BufferId buffer) const {
    const TensorType& other = at(buffer).type;
    if (type.dtype == other.dtype && type.bytes() == other.bytes()) return {};
    return bad(name + " is " + to_string(type) + ", and " + name_of(buffer) + " is " + to_string(other));
  }

  // Checks that the tensors of a bucket lie in the bucket and do not overlap.
  Status pieces(const Instruction& i) const {
    const BufferId bucket = i.bucket();
    const Buffer& buffer = at(bucket);
    if (buffer.storage != Storage::kArena || buffer.view_of.is_set())
      return bad("its bucket, " + name_of(bucket) + ", is not a buffer of its own in the arena");
    std::vector<BufferId> list(i.pieces().begin(), i.pieces().end());
    std::sort(list.begin(), list.end(), [&](BufferId a, BufferId b) { return at(a).offset < at(b).offset; });
    uint64_t end = buffer.offset;
    for (BufferId b : list) {
      if (at(b).storage != Storage::kArena || at(b).type.dtype != buffer.type.dtype || at(b).offset < end)
        return bad(name_of(b) + " does not lie in its bucket, " + name_of(bucket) +
                   ", or overlaps another tensor of the bucket, or has another element type");
      end = at(b).offset + bytes_of(at(b).type);
    }
    if (end <= buffer.offset + bytes_of(buffer.type)) return {};
    return bad("the tensors of its bucket, " + name_of(bucket) + ", end at byte " +
               std::to_string(end - buffer.offset) + " of the bucket, which has " +
               std::to_string(buffer.type.bytes()) + " bytes");
  }

  static int64_t size_along(const TensorType& t, int32_t dimension) {
    return t.rank() == 0 ? 1 : t.shape[static_cast<size_t>(dimension)];
  }
  // Checks that the buffer has the type of the port, with fewer rows along one dimension, and that these rows
  // are in the port.
  Status rows(PortId id, const FirstRow& first, const Table<Port>& ports, const std::string& what,
              BufferId buffer) const {
    if (!within(id.value, ports)) return bad(out_of_range(what, id.value, ports.size(), "the function"));
    const Port& port = ports[id];
    const TensorType& part = at(buffer).type;
    const std::string name = what + " '" + port.name + "', which is " + to_string(port.type);
    if (part.dtype != port.type.dtype)
      return bad(name_of(buffer) + ", which is " + to_string(part) + ", has another element type than " +
                 name);
    const std::string place = "row " + std::to_string(first.start) + " along dimension " +
                              std::to_string(first.dimension) + " of " + name;
    if (first.dimension < 0 || first.dimension >= std::max(port.type.rank(), 1) || first.start < 0)
      return bad("there is no " + place);
    bool same = part.rank() == port.type.rank();
    for (int d = 0; same && d < part.rank(); ++d)
      same = d == first.dimension || size_along(part, d) == size_along(port.type, d);
    if (!same)
      return bad(name_of(buffer) + ", which is " + to_string(part) + ", cannot hold rows from " + place);
    const int64_t all = size_along(port.type, first.dimension), rows = size_along(part, first.dimension);
    if (first.start > all || rows > all - first.start)
      return bad("it copies " + counted(static_cast<size_t>(rows), "row") + " from " + place +
                 ", which has " + std::to_string(all));
    return {};
  }

  Status transfer(ChannelId id, BufferId buffer, size_t device, bool send) {
    if (!within(id.value, f_.channels))
      return bad(out_of_range("channel", id.value, f_.channels.size(), "the function"));
    const Channel& c = f_.channels[id];
    const std::string name = "channel " + std::to_string(id.value);
    CUTSET_TRY(same(c.type, name, buffer));
    if ((send ? c.from : c.to) != static_cast<int32_t>(device))
      return bad(name + " leads from " + name_of_device(c.from) + " to " + name_of_device(c.to));
    std::vector<bool>& used = send ? sent_ : received_;
    if (used[id.index()]) return bad(name + " has two " + (send ? "senders" : "receivers"));
    used[id.index()] = true;
    return {};
  }

  Status summed(CollectiveId id, BufferId buffer) const {
    if (!within(id.value, f_.collectives))
      return bad(out_of_range("all_reduce", id.value, f_.collectives.size(), "the function"));
    return same(f_.collectives[id].type, "all_reduce " + std::to_string(id.value), buffer);
  }

  // Checks that all partial sums and copies of the sum of an all_reduce have the same tensors at the same
  // bytes of the bucket.
  Status same_tensors(CollectiveId id, BufferId bucket, const std::vector<BufferId>& pieces) {
    Layout layout;
    for (BufferId b : pieces) layout.emplace_back(at(b).offset - at(bucket).offset, bytes_of(at(b).type));
    std::optional<Layout>& known = layouts_[id.index()];
    if (!known)
      known = std::move(layout);
    else if (*known != layout)
      return bad("its bucket, " + name_of(bucket) + ", has " + counted(layout.size(), "tensor") +
                 ", and the other buckets of all_reduce " + std::to_string(id.value) + " have " +
                 counted(known->size(), "tensor") + ", or the same number at other bytes");
    return {};
  }

  // Checks that a step uses every channel, starts every partial sum and writes every output.
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
      auto& [dimension, rows] = written_[o];
      std::sort(rows.begin(), rows.end());
      int64_t end = 0;
      bool once = !rows.empty();
      for (auto [start, size] : rows) {
        once &= start == end;
        end += size;
      }
      if (const TensorType& type = f_.outputs[o].type; !once || end != size_along(type, dimension))
        return wrong(f_, "the rows of output '" + f_.outputs[o].name + "', which is " + to_string(type) +
                             ", are not all written exactly once");
    }
    return {};
  }

  Status kernel(const Instruction& i, const RunKernel& c, size_t device) const {
    CUTSET_TRY(printable(c.kernel));
    const OpInfo* op = find_op(i.op());
    if (!op) return bad("there is no op '" + i.op() + "'");
    CUTSET_TRY(operand_ranges(*op, c.attributes, c.operands.size()));
    CUTSET_ASSIGN(const FlatAttrs attributes, FlatAttrs::pack(op->schema, c.attributes));
    Types in, out;
    for (size_t n = 0; n < c.operands.size(); ++n) {
      const Buffer& b = at(c.operands[n]);
      if (b.storage == Storage::kTypeOnly && !op->reads_type_only(n))
        return bad("it reads " + name_of(c.operands[n]) + ", which has a type and no value");
      in.push_back(b.type);
    }
    for (BufferId b : c.results) out.push_back(at(b).type);
    CUTSET_ASSIGN(const Types types, op->infer(attributes.data(), in));
    if (out.size() != types.size())
      return bad("it has " + counted(out.size(), "result") + ", and '" + i.op() + "' has " +
                 counted(types.size(), "result"));
    for (size_t r = 0; r < out.size(); ++r)
      if (types[r] != out[r])
        return bad("result " + std::to_string(r) + " of '" + i.op() + "' is " + to_string(types[r]) +
                   ", and " + name_of(c.results[r]) + " is " + to_string(out[r]));
    return {};
  }

  const Function& f_;
  std::vector<bool> sent_, received_;       // by channel
  std::vector<bool> signalled_;             // by event of the device whose instructions are being checked
  std::vector<std::vector<bool>> started_;  // by all_reduce and partial sum
  using Layout =
      std::vector<std::pair<uint64_t, uint64_t>>;  // the first byte and the size of each tensor of a bucket
  std::vector<std::optional<Layout>> layouts_;     // by all_reduce
  std::vector<int32_t> started_in_;                // by all_reduce: started in compute (0) or in apply (1)
  struct Written {
    int32_t dimension = 0;
    std::vector<std::pair<int64_t, int64_t>>
        rows;  // of each instruction: the first row and the number of rows
  };
  std::vector<Written> written_;  // by output
};

}  // namespace

Status check_instructions(const Function& f) { return InstructionCheck(f).run(); }

}  // namespace cutset::checks
