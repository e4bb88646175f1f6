#include "runtime/program/check/memory.h"

#include <algorithm>
#include <map>
#include <queue>

#include "ir/core/op_info.h"
#include "runtime/program/check/check.h"

namespace cutset::check {
namespace {

// A vector clock: for every queue of the device, the number of its instructions that are known to be done.
struct Clock {
  int64_t done[kQueues] = {};
};

// A piece of memory that is accessed as one: a buffer of an arena with all its views, or a variable.
struct Unit {
  BufferId buffer;                      // the first buffer that refers to this memory
  bool arena = false;                   // false: a variable
  int32_t whole = kNone;                // the unit of the bucket that contains it; kNone: it is in no bucket
  const Instruction* bucket = nullptr;  // if it is a bucket: the only instruction that may use it as a whole
  bool scratch = false;                 // an instruction uses it as scratch memory
  bool tensor = false;                  // an instruction uses it as an operand, a result or a piece of a bucket
  bool touched = false;                 // an instruction uses it
  bool whole_step = false;              // it is alive for the whole step: another queue or the host uses it
  int64_t first = 0, last = 0;          // the first and the last instruction of the compute queue that use it
  // By queue: the last instruction that wrote it and the last that read it; -1: none.
  int64_t written[kQueues] = {-1, -1, -1}, read[kQueues] = {-1, -1, -1};
};

class MemoryCheck {
 public:
  explicit MemoryCheck(const Function& f) : f_(f) {}

  Status run() {
    make_units();
    CUTSET_TRY(buckets());
    for (size_t d = 0; d < f_.devices.size(); ++d) CUTSET_TRY(lifetimes(d));
    for (size_t n = 0; n < f_.checks.size(); ++n) {
      Unit* u = unit(f_.checks[n].flag);
      if (u->scratch || u->bucket || u->whole != kNone || !u->touched)
        return wrong(f_, flag_of(n) + " is scratch memory, belongs to a bucket, or is used by no instruction");
      u->whole_step = true;  // the host reads the flag when all queues are done
    }
    CUTSET_TRY(apart());
    written_by_.assign(units_.size(), {-1, 0});
    for (size_t d = 0; d < f_.devices.size(); ++d) CUTSET_TRY(play(d));
    return {};
  }

 private:
  struct At {
    size_t device;
    int queue;
    bool apply;
    size_t index;
  };
  Failure wrong_at(const At& at, const std::string& what) const {
    return wrong(f_, place(f_, at.device, at.queue, at.apply, at.index) + " " + what);
  }
  std::string flag_of(size_t check) const {
    return "finite check " + std::to_string(check) + ": its flag, buffer " +
           std::to_string(f_.checks[check].flag.value) + ",";
  }
  std::string range(const Unit& u) const {
    const Buffer& b = f_.buffers[u.buffer];
    return "buffer " + std::to_string(u.buffer.value) + " (bytes " + std::to_string(b.offset) + " to " +
           std::to_string(b.offset + static_cast<uint64_t>(b.type.bytes())) + ")";
  }
  static bool is_written(const Unit& u) { return *std::max_element(u.written, u.written + kQueues) >= 0; }
  Unit* unit(BufferId buffer) {
    const int32_t u = unit_of_[buffer.index()];
    return u == kNone ? nullptr : &units_[static_cast<size_t>(u)];
  }

  // A view refers to an earlier buffer, so the unit of that buffer is known when the view is met.
  void make_units() {
    std::map<std::pair<int32_t, VariableId>, int32_t> variables;  // the unit by (device, variable)
    unit_of_.assign(f_.buffers.size(), kNone);
    for (size_t i = 0; i < f_.buffers.size(); ++i) {
      const Buffer& b = f_.buffers[i];
      const auto fresh = static_cast<int32_t>(units_.size());
      if (b.storage == Storage::kVariable)
        unit_of_[i] = variables.emplace(std::pair(b.device, b.variable), fresh).first->second;
      else if (b.storage == Storage::kArena)
        unit_of_[i] = b.view_of.is_set() ? unit_of_[b.view_of.index()] : fresh;
      if (unit_of_[i] != fresh) continue;
      units_.emplace_back();
      units_.back().buffer = BufferId(i), units_.back().arena = b.storage == Storage::kArena;
    }
  }

  Status buckets() {
    std::vector<std::pair<Unit*, At>> parts;
    for (size_t d = 0; d < f_.devices.size(); ++d)
      CUTSET_TRY(for_each_instruction(f_.devices[d], [&](const Instruction& i, int q, bool apply, size_t n) -> Status {
        if (i.pieces().empty()) return {};
        const At at{d, q, apply, n};
        const BufferId buffer = i.bucket();
        Unit* whole = unit(buffer);
        if (whole->bucket)
          return wrong_at(at, "uses " + range(*whole) + " as its bucket, which is the bucket of another instruction");
        whole->bucket = &i;
        for (BufferId piece : i.pieces()) {
          Unit* u = unit(piece);
          if (u == whole || u->whole != kNone)
            return wrong_at(
                at, "lists " + range(*u) +
                        " as a tensor of its bucket, but this buffer belongs to a bucket already, or is the bucket");
          u->whole = unit_of_[buffer.index()];
          parts.emplace_back(u, at);
        }
        return {};
      }));
    for (const auto& [u, at] : parts)
      if (u->bucket)
        return wrong_at(at, "lists " + range(*u) +
                                " as a tensor of its bucket, but this buffer is the bucket of another instruction");
    return {};
  }

  Status lifetimes(size_t d) {
    const auto& compute = f_.devices[d].queues[static_cast<int>(Queue::kCompute)].compute;
    return for_each_instruction(f_.devices[d], [&](const Instruction& i, int q, bool apply, size_t n) -> Status {
      const At at{d, q, apply, n};
      const auto time = static_cast<int64_t>(n + (apply ? compute.size() : 0));
      auto touch = [&](BufferId buffer, bool scratch) -> Status {
        Unit* u = unit(buffer);
        if (!u || !u->arena) return {};
        (scratch ? u->scratch : u->tensor) = true;
        if (u->scratch && u->tensor)
          return wrong_at(at, "uses " + range(*u) + ", which is used both as scratch memory and as a tensor");
        if (u->bucket && u->bucket != &i)
          return wrong_at(at, "uses " + range(*u) + ", which is the bucket of another instruction");
        if (u->whole != kNone) u = &units_[static_cast<size_t>(u->whole)];
        u->whole_step |= q != static_cast<int>(Queue::kCompute);
        u->first = u->touched ? std::min(u->first, time) : time;
        u->last = u->touched ? std::max(u->last, time) : time;
        u->touched = true;
        return {};
      };
      for (const auto list : {i.operands(), i.results(), i.pieces()})
        for (BufferId b : list) CUTSET_TRY(touch(b, false));
      return i.scratch().is_set() ? touch(i.scratch(), true) : Status();
    });
  }

  // Checks that units that are alive at the same time do not overlap. It visits the units in the order in which they
  // become alive and keeps those that are alive sorted by address. These do not overlap each other, so a new unit can
  // only overlap its two neighbours. This takes O(n log n) time.
  Status apart() {
    std::vector<const Unit*> units;
    for (Unit& u : units_) {
      if (!u.arena || !u.touched || u.whole != kNone || f_.buffers[u.buffer].type.bytes() == 0) continue;
      if (u.whole_step) u.first = 0, u.last = INT64_MAX;
      units.push_back(&u);
    }
    auto buffer = [&](const Unit* u) -> const Buffer& { return f_.buffers[u->buffer]; };
    auto end = [&](const Unit* u) { return buffer(u).offset + static_cast<uint64_t>(buffer(u).type.bytes()); };
    std::sort(units.begin(), units.end(), [&](const Unit* a, const Unit* b) {
      return std::pair(buffer(a).device, a->first) < std::pair(buffer(b).device, b->first);
    });
    auto dies_later = [](const Unit* a, const Unit* b) { return a->last > b->last; };
    std::priority_queue<const Unit*, std::vector<const Unit*>, decltype(dies_later)> dying(dies_later);
    std::map<uint64_t, const Unit*> alive;  // by offset
    int32_t device = kNone;
    for (const Unit* u : units) {
      if (buffer(u).device != device) alive.clear(), dying = decltype(dying)(dies_later), device = buffer(u).device;
      for (; !dying.empty() && dying.top()->last < u->first; dying.pop()) alive.erase(buffer(dying.top()).offset);
      const auto behind = alive.lower_bound(buffer(u).offset);
      const Unit* other = behind != alive.end() && behind->first < end(u) ? behind->second : nullptr;
      if (!other && behind != alive.begin() && end(std::prev(behind)->second) > buffer(u).offset)
        other = std::prev(behind)->second;
      if (other)
        return wrong(f_, range(*u) + " and " + range(*other) + " of " + f_.devices[static_cast<size_t>(device)].device +
                             " are in use at once and overlap");
      alive.emplace(buffer(u).offset, u);
      dying.push(u);
    }
    return {};
  }

  // Simulates the queues of one device with the events between them, and checks every access. An order that is only
  // due to messages of other devices does not count: a program must order the accesses to its memory by events.
  Status play(size_t d) {
    const DevicePlan& plan = f_.devices[d];
    std::vector<Clock> signalled(static_cast<size_t>(plan.events));
    std::vector<bool> happened(signalled.size(), false);
    Clock clocks[kQueues], base;
    for (const bool apply : {false, true}) {
      size_t next[kQueues] = {};
      for (bool progress = true; progress;) {
        progress = false;
        for (int q = 0; q < kQueues; ++q) {
          const auto& list = apply ? plan.queues[q].apply : plan.queues[q].compute;
          for (; next[q] < list.size(); ++next[q], progress = true) {
            const Instruction& i = list[next[q]];
            Clock& clock = clocks[q];
            clock.done[q] = base.done[q] + static_cast<int64_t>(next[q]);
            if (const auto* wait = i.as<AwaitEvent>()) {
              const size_t event = wait->event.index();
              if (!happened[event]) break;
              for (int k = 0; k < kQueues; ++k) clock.done[k] = std::max(clock.done[k], signalled[event].done[k]);
            } else if (const auto* signal = i.as<SignalEvent>()) {
              happened[signal->event.index()] = true;
              signalled[signal->event.index()] = clock;
            } else {
              CUTSET_TRY(accesses(i, {d, q, apply, next[q]}, clock));
            }
          }
        }
      }
      for (int q = 0; q < kQueues; ++q)
        base.done[q] += static_cast<int64_t>((apply ? plan.queues[q].apply : plan.queues[q].compute).size());
      for (Clock& c : clocks) c = base;  // all of `compute` is done before `apply`
      if (apply) continue;
      for (size_t n = 0; n < f_.checks.size(); ++n)
        if (f_.checks[n].device == static_cast<int32_t>(d) && !is_written(*unit(f_.checks[n].flag)))
          return wrong(f_, flag_of(n) + " is written by no instruction");
    }
    return {};
  }

  Status accesses(const Instruction& i, const At& at, const Clock& clock) {
    CUTSET_TRY(in_place(i, at));
    const bool bucket = !i.pieces().empty();
    for (BufferId b : bucket&& i.results().empty() ? i.pieces() : i.operands()) CUTSET_TRY(read(b, at, clock));
    for (BufferId b : bucket&& i.operands().empty() ? i.pieces() : i.results()) CUTSET_TRY(write(b, at, clock));
    return {};
  }

  // An instruction may write the memory of an operand only through the result with the same number, and only if its op
  // updates this operand.
  Status in_place(const Instruction& i, const At& at) {
    const OpInfo* op = i.is<RunKernel>() ? find_op(i.op) : nullptr;
    const auto updates = op ? static_cast<size_t>(op->updates) : 0;
    ++instruction_;
    for (size_t r = 0; r < i.results().size(); ++r) {
      const auto u = static_cast<size_t>(unit_of_[i.results()[r].index()]);
      if (written_by_[u].first == instruction_) return wrong_at(at, "writes " + range(units_[u]) + " twice");
      written_by_[u] = {instruction_, r};
    }
    for (size_t o = 0; o < i.operands().size(); ++o) {
      const int32_t u = unit_of_[i.operands()[o].index()];
      if (u == kNone || written_by_[static_cast<size_t>(u)].first != instruction_) continue;
      if (written_by_[static_cast<size_t>(u)].second != o || o >= updates)
        return wrong_at(at, "overwrites its operand " + std::to_string(o) + ", which its op does not update in place");
    }
    return {};
  }

  Status read(BufferId buffer, const At& at, const Clock& clock) {
    Unit* u = unit(buffer);
    if (!u) return {};
    if (u->arena && !is_written(*u))
      return wrong_at(at, "reads buffer " + std::to_string(buffer.value) + ", which nothing has written");
    for (int q = 0; q < kQueues; ++q)
      if (q != at.queue && u->written[q] >= clock.done[q])
        return wrong_at(
            at, "reads buffer " + std::to_string(buffer.value) + " without waiting for the queue that writes it");
    u->read[at.queue] = clock.done[at.queue];
    return {};
  }

  Status write(BufferId buffer, const At& at, const Clock& clock) {
    Unit* u = unit(buffer);
    if (!u->arena && !at.apply)
      return wrong_at(at, "writes buffer " + std::to_string(buffer.value) +
                              ", which is a variable, outside `apply`, before the step is committed");
    for (int q = 0; q < kQueues; ++q)
      if (q != at.queue && (u->written[q] >= clock.done[q] || u->read[q] >= clock.done[q]))
        return wrong_at(
            at, "writes buffer " + std::to_string(buffer.value) + " without waiting for another queue that uses it");
    u->written[at.queue] = clock.done[at.queue];
    return {};
  }

  const Function& f_;
  std::vector<Unit> units_;
  std::vector<int32_t> unit_of_;  // by buffer; kNone: a constant or a type, which no instruction writes
  std::vector<std::pair<int64_t, size_t>> written_by_;  // by unit: the instruction that wrote it last, and its result
  int64_t instruction_ = 0;                             // the number of the instruction that in_place() checks
};

}  // namespace

Status check_memory(const Function& f) { return MemoryCheck(f).run(); }

}  // namespace cutset::check
