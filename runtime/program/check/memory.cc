// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/check/memory.h"

#include <optional>
#include <set>

#include "ir/core/op/op_info.h"
#include "runtime/program/check/accesses.h"
#include "runtime/program/check/call_forms.h"
#include "runtime/program/check/check.h"
#include "runtime/program/check/memory_errors.h"
#include "runtime/program/check/owners.h"
#include "runtime/program/check/units.h"

namespace cutset::checks {
namespace {

class MemoryCheck {
 public:
  MemoryCheck(const Function& f, const Order& order, const Units& units)
      : f_(f),
        order_(order),
        units_(units),
        unit_of_(&units.of),
        accesses_(units.units.size()),
        frames_(f.frames.size()),
        forms_(f, units),
        errors_(f, units) {}

  Status run() {
    for (size_t d = 0; d < f_.devices.size(); ++d) {
      owners_ = {};
      CUTSET_TRY(order_.visit(
          d, [&](const Instruction& i, const Action& at, const Clock& clock) { return access(i, at, clock); },
          [&] { return flags(static_cast<int32_t>(d)); }));
    }
    return {};
  }

 private:
  const Unit& unit_at(int32_t unit) const { return errors_.unit_at(unit); }
  // Returns the unit of a buffer of the visited instruction.
  int32_t unit_of(BufferId buffer) const { return (*unit_of_)[buffer.index()]; }
  Accesses& of(int32_t unit) { return accesses_[static_cast<size_t>(unit)]; }
  bool in_arena(int32_t unit) const { return unit_at(unit).arena; }
  const Buffer& buffer_of(int32_t unit) const { return Units::buffer_of(f_, unit_at(unit)); }
  uint64_t begin(int32_t unit) const { return buffer_of(unit).offset; }
  uint64_t size(int32_t unit) const { return static_cast<uint64_t>(buffer_of(unit).type.bytes()); }
  // Whether the unit has been written. All calls of a role run the same body, so if the body reads a buffer
  // of the role before it writes it, the first call shows it.
  bool is_written(int32_t unit) { return times_of(unit).written != kNever; }

  // Checks a call or another instruction. The arguments of a call and the memory inside the role do not
  // overlap, so only the way in which arguments share memory matters. The body of the role is visited once
  // per such way. Any other call is one access to each argument and to the memory inside the role.
  Status access(const Instruction& i, const Action& at, const Clock& clock) {
    const auto* call = i.as<CallRole>();
    if (!call) return access_one(i, at, clock);
    if (!forms_.is_new(*call)) return access_as_one(*call, at, clock);
    CUTSET_TRY(differ(*call, at));
    units_.of_call(f_, *call, called_);
    unit_of_ = &called_;
    for (const Instruction& inner : f_.roles[call->role].body) CUTSET_TRY(access_one(inner, at, clock));
    unit_of_ = &units_.of;
    forms_.add(*call);
    return {};
  }

  // Fails if two results of the call are in one memory.
  Status differ(const CallRole& call, const Action& at) {
    std::set<int32_t> written;
    const auto& accesses = units_.roles[call.role.index()].accesses.arguments;
    for (size_t a = 0; a < call.arguments.size(); ++a)
      for (size_t e = 0; e < accesses[a].buffers.size(); ++e)
        if (const int32_t unit = units_.of[f_.frames[call.arguments[a]].buffers[e].index()];
            accesses[a].buffers[e].written && unit != kNone && !written.insert(unit).second)
          return errors_.wrong_at(at, "writes " + errors_.shown(unit) + " as two results of its role");
    return {};
  }

  Status access_as_one(const CallRole& call, const Action& at, const Clock& clock) {
    ++instruction_;
    const Units::OfRole& role = units_.roles[call.role.index()];
    const auto queue = static_cast<size_t>(at.queue);
    for (size_t a = 0; a < call.arguments.size(); ++a)
      CUTSET_TRY(read(call.arguments[a], role.accesses.arguments[a], at, clock));
    for (size_t n = 0; n < role.inside.size(); ++n) {
      const auto [begin, end] = role.accesses.inside[n];
      CUTSET_TRY(take(role.inside[n], begin, end, at, clock));
      of(role.inside[n]).times.written[queue] = at.number;
    }
    for (size_t a = 0; a < call.arguments.size(); ++a)
      CUTSET_TRY(write(call.arguments[a], role.accesses.arguments[a], at, clock));
    // Memory that overlaps another memory of the call has lost bytes to it.
    const auto check_bytes = [&](int32_t unit, uint64_t bytes) -> Status {
      return of(unit).bytes == bytes ? Status()
                                     : overwritten(unit, errors_.place_of(at) + " uses", clock, at.device);
    };
    for (size_t a = 0; a < call.arguments.size(); ++a) {
      const RoleAccesses::Argument& argument = role.accesses.arguments[a];
      const FrameAccesses& frame = frames_[call.arguments[a].index()];
      if (frame.as_one && !frame.lost) continue;
      for (size_t e = 0; e < argument.buffers.size(); ++e)
        if (const int32_t unit = units_.of[f_.frames[call.arguments[a]].buffers[e].index()];
            (argument.buffers[e].read || argument.buffers[e].written) && unit != kNone && in_arena(unit))
          CUTSET_TRY(check_bytes(unit, size(unit)));
    }
    for (size_t n = 0; n < role.inside.size(); ++n)
      CUTSET_TRY(check_bytes(role.inside[n], role.accesses.inside[n].end - role.accesses.inside[n].begin));
    return {};
  }

  // Reads a frame that the role reads. Since the accesses to the frame became one, only calls have accessed
  // it. They are in one queue, so an access to the whole frame is in order.
  Status read(FrameId id, const RoleAccesses::Argument& access, const Action& at, const Clock& clock) {
    if (!access.any.read) return {};
    FrameAccesses& frame = frames_[id.index()];
    const auto& buffers = f_.frames[id].buffers;
    if (frame.as_one && !frame.lost && access.alike) {
      frame.times.read[static_cast<size_t>(at.queue)] = at.number;
      return {};
    }
    divide(id);
    for (size_t e = 0; e < buffers.size(); ++e)
      if (access.buffers[e].read) CUTSET_TRY(read(buffers[e], at, clock));
    return {};
  }

  // Writes a frame that the role writes. If it is simple and all its buffers are written, they have the same
  // accesses from then on.
  Status write(FrameId id, const RoleAccesses::Argument& access, const Action& at, const Clock& clock) {
    if (!access.any.written) return {};
    FrameAccesses& frame = frames_[id.index()];
    const auto& buffers = f_.frames[id].buffers;
    const bool all = units_.is_simple[id.index()] && access.alike;
    if (frame.as_one && !frame.lost && all) {
      frame.times.written[static_cast<size_t>(at.queue)] = at.number;
      return {};
    }
    divide(id);
    for (size_t e = 0; e < buffers.size(); ++e)
      if (access.buffers[e].written) CUTSET_TRY(write(buffers[e], at, clock));
    if (!all) return {};
    // Earlier accesses of all queues are ordered before this write, and later ones see it.
    frame.as_one = true;
    frame.lost = false;
    frame.times = {};
    frame.times.written[static_cast<size_t>(at.queue)] = at.number;
    return {};
  }

  // Gives each unit of a frame its own accesses again.
  void divide(FrameId id) {
    FrameAccesses& frame = frames_[id.index()];
    if (!frame.as_one) return;
    frame.as_one = false;
    for (BufferId b : f_.frames[id].buffers) of(units_.of[b.index()]).times = frame.times;
  }
  // Returns the accesses to a unit, for an instruction that accesses only this unit of its frame.
  Accesses& alone(int32_t unit) {
    if (const FrameId frame = unit_at(unit).frame; frame.is_set()) divide(frame);
    return of(unit);
  }
  const Times& times_of(int32_t unit) {
    const FrameId frame = unit_at(unit).frame;
    return frame.is_set() && frames_[frame.index()].as_one ? frames_[frame.index()].times : of(unit).times;
  }

  Status access_one(const Instruction& i, const Action& at, const Clock& clock) {
    ++instruction_;
    CUTSET_TRY(in_place(i, at));
    const bool starts = !i.pieces().empty() && i.results().empty(), arrives = !i.pieces().empty() && !starts;
    for (BufferId b : starts ? i.pieces() : i.operands()) CUTSET_TRY(read(b, at, clock));
    for (BufferId b : i.results()) CUTSET_TRY(write(b, at, clock));
    if (starts) CUTSET_TRY(take_gaps(i, at, clock));
    if (arrives)
      for (BufferId b : i.pieces()) CUTSET_TRY(write(b, at, clock));
    return {};
  }

  // Fails if the instruction writes the memory of an operand, unless it writes through the result with the
  // same number, and its op updates this operand.
  Status in_place(const Instruction& i, const Action& at) {
    const OpInfo* op = i.is<RunKernel>() ? find_op(i.op()) : nullptr;
    const auto updates = op ? static_cast<size_t>(op->updates) : 0;
    for (size_t r = 0; r < i.results().size(); ++r) {
      const int32_t unit = unit_of(i.results()[r]);
      Accesses& a = of(unit);
      if (a.user == instruction_) return errors_.wrong_at(at, "writes " + errors_.shown(unit) + " twice");
      a.user = instruction_;
      a.result = r;
      a.is_result = true;
    }
    for (size_t o = 0; o < i.operands().size(); ++o) {
      const int32_t unit = unit_of(i.operands()[o]);
      if (unit == kNone) continue;
      Accesses& a = of(unit);
      if (a.user != instruction_) {
        a.user = instruction_;
        a.is_result = false;
      } else if (a.is_result && (a.result != o || o >= updates)) {
        return errors_.wrong_at(
            at, "overwrites its operand " + std::to_string(o) + ", which its op does not update in place");
      }
    }
    return {};
  }

  Status read(BufferId buffer, const Action& at, const Clock& clock) {
    const int32_t unit = unit_of(buffer);
    if (unit == kNone) return {};
    Accesses& a = alone(unit);
    if (in_arena(unit)) {
      if (size(unit) == 0) return {};
      if (!is_written(unit))
        return errors_.wrong_at(
            at, "reads buffer " + std::to_string(buffer.value) + ", which nothing has written");
      if (a.bytes != size(unit)) return overwritten(unit, errors_.place_of(at) + " reads", clock, at.device);
    }
    for (int q = 0; q < kQueues; ++q)
      if (const int64_t last = a.times.written[static_cast<size_t>(q)];
          q != at.queue && last >= clock[static_cast<size_t>(q)])
        return errors_.race(at, "reads", unit, q, "writes", unit, last);
    a.times.read[static_cast<size_t>(at.queue)] = at.number;
    return {};
  }

  Status write(BufferId buffer, const Action& at, const Clock& clock) {
    const int32_t unit = unit_of(buffer);
    Accesses& a = alone(unit);
    if (in_arena(unit)) {
      if (size(unit) == 0) return {};
      CUTSET_TRY(take(unit, begin(unit), begin(unit) + size(unit), at, clock));
    } else if (!at.apply) {
      return errors_.wrong_at(at, "writes buffer " + std::to_string(buffer.value) +
                                      ", which is a variable, outside `apply`, before the step is committed");
    } else {
      CUTSET_TRY(behind(unit, unit, at, clock));
    }
    a.user = instruction_;
    a.times.written[static_cast<size_t>(at.queue)] = at.number;
    return {};
  }

  // Gives the bytes [first, end) of the arena to the unit, which the action writes.
  Status take(int32_t unit, uint64_t first, uint64_t end, const Action& at, const Clock& clock) {
    const auto lost = [&](const Owners::Stretch& s) -> Status {
      CUTSET_TRY(behind(unit, s.owner, at, clock));
      // The tensors of a bucket are written together with the bucket.
      const bool in_bucket = unit_at(unit).bucket_unit == s.owner;
      if (s.owner != unit && of(s.owner).user == instruction_ && !in_bucket)
        return errors_.wrong_at(at, "uses " + errors_.shown(unit) + " and " + errors_.shown(s.owner) +
                                        ", which are in use at once and overlap");
      of(s.owner).bytes -= s.end - s.begin;
      if (const FrameId frame = unit_at(s.owner).frame; s.owner != unit && frame.is_set())
        frames_[frame.index()].lost = true;
      return {};
    };
    CUTSET_TRY(owners_.give(first, end, unit, lost));
    of(unit).bytes += end - first;
    return {};
  }

  // Gives the bytes between the tensors of a bucket that is sent to the bucket.
  Status take_gaps(const Instruction& i, const Action& at, const Clock& clock) {
    const int32_t bucket = units_.of[i.bucket().index()];
    std::vector<std::pair<uint64_t, uint64_t>> tensors;
    for (BufferId b : i.pieces())
      if (const int32_t unit = units_.of[b.index()]; size(unit))
        tensors.emplace_back(begin(unit), size(unit));
    std::sort(tensors.begin(), tensors.end());
    uint64_t end = begin(bucket);
    tensors.emplace_back(begin(bucket) + size(bucket), 0);
    for (const auto& [first, bytes] : tensors) {
      CUTSET_TRY(take(bucket, end, first, at, clock));
      end = first + bytes;
    }
    of(bucket).times.written[static_cast<size_t>(at.queue)] = at.number;
    return {};
  }

  // Fails unless all accesses to `other`, whose memory the action writes, are ordered before the action.
  Status behind(int32_t unit, int32_t other, const Action& at, const Clock& clock) {
    const Times& a = times_of(other);
    for (int q = 0; q < kQueues; ++q) {
      const auto n = static_cast<size_t>(q);
      if (q == at.queue) continue;
      if (a.written[n] >= clock[n]) return errors_.race(at, "writes", unit, q, "writes", other, a.written[n]);
      if (a.read[n] >= clock[n]) return errors_.race(at, "writes", unit, q, "reads", other, a.read[n]);
    }
    return {};
  }

  // Returns the failure for a unit that is read after another unit has been written to its memory.
  Failure overwritten(int32_t unit, const std::string& reader, const std::optional<Clock>& clock,
                      size_t device) {
    int32_t other = unit;
    owners_.visit(begin(unit), begin(unit) + size(unit), [&](const Owners::Stretch& s) {
      if (s.owner != unit) other = s.owner;
    });
    return errors_.overwritten(unit, other, times_of(other), reader, clock, device);
  }

  // Checks that the flags of the device hold their values when all queues have finished `compute`, because
  // the host then reads them.
  Status flags(int32_t device) {
    for (size_t n = 0; n < f_.checks.size(); ++n) {
      if (f_.checks[n].device != device) continue;
      const int32_t unit = units_.of[f_.checks[n].flag.index()];
      if (!is_written(unit)) return wrong(f_, flag_of(f_, n) + " is written by no instruction");
      if (of(unit).bytes != size(unit))
        return overwritten(unit, "the host reads", std::nullopt, static_cast<size_t>(device));
    }
    return {};
  }

  const Function& f_;
  const Order& order_;
  const Units& units_;
  // By buffer of the visited instruction: the units of the function, or `called_`.
  const std::vector<int32_t>* unit_of_;
  std::vector<int32_t> called_;        // the units of the buffers of the visited call
  std::vector<Accesses> accesses_;     // by unit
  std::vector<FrameAccesses> frames_;  // by frame of the function
  Owners owners_;                      // of the arena of the device that is visited
  int64_t instruction_ = 0;            // counts the visited instructions, from 1
  CallForms forms_;                    // of the calls whose bodies were visited
  const MemoryErrors errors_;
};

}  // namespace

Status check_memory(const Function& f, const Order& order) {
  CUTSET_ASSIGN(const Units units, Units::make(f));
  return MemoryCheck(f, order, units).run();
}

}  // namespace cutset::checks
