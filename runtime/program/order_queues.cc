#include "runtime/program/order_queues.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "ir/core/result.h"
#include "runtime/program/check/owners.h"

namespace cutset {
namespace {

// Bytes of the arena.
struct Range {
  uint64_t begin, end;
};

Range range_of(const Buffer& b) { return {b.offset, b.offset + static_cast<uint64_t>(b.type.bytes())}; }

// What a call of a role accesses.
struct RoleAccesses {
  std::vector<size_t> read, written;  // parameters
  std::vector<Range> inside;          // the memory of the role itself, disjoint
};

RoleAccesses accesses_of(const Role& role) {
  std::vector<std::optional<size_t>> parameter(role.buffers.size());  // by buffer
  for (size_t p = 0; p < role.parameters.size(); ++p) parameter[role.parameters[p].index()] = p;
  for (size_t b = 0; b < role.buffers.size(); ++b)  // a view refers to an earlier buffer
    if (const BufferId whole = role.buffers[BufferId(b)].view_of; whole.is_set())
      parameter[b] = parameter[whole.index()];
  RoleAccesses all;
  std::vector<bool> read(role.parameters.size()), written(role.parameters.size());
  std::vector<Range> inside;
  const auto access = [&](BufferId b, std::vector<bool>& how) {
    if (parameter[b.index()])
      how[*parameter[b.index()]] = true;
    else if (role.buffers[b].storage == Storage::kArena)
      inside.push_back(range_of(role.buffers[b]));
  };
  for (const Instruction& i : role.body) {
    for (BufferId b : i.operands())
      if (role.buffers[b].storage != Storage::kTypeOnly) access(b, read);
    for (BufferId b : i.results()) access(b, written);
    if (i.scratch().is_set()) access(i.scratch(), written);
  }
  for (size_t p = 0; p < role.parameters.size(); ++p) {
    if (read[p]) all.read.push_back(p);
    if (written[p]) all.written.push_back(p);
  }
  std::sort(inside.begin(), inside.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  for (const Range& r : inside)
    if (!all.inside.empty() && r.begin <= all.inside.back().end)
      all.inside.back().end = std::max(all.inside.back().end, r.end);
    else
      all.inside.push_back(r);
  return all;
}

// An instruction of the device, or none.
struct Place {
  size_t queue = 0;
  int64_t index = -1;  // in its list; -1: none
};

class QueueOrder {
 public:
  QueueOrder(Function& f, size_t device) : f_(f), plan_(f.devices[device]) {
    for (const Role& r : f.roles)
      roles_.push_back(r.device == static_cast<int32_t>(device) ? accesses_of(r) : RoleAccesses());
    for (auto& known : known_) known.fill(-1);
  }

  void run(const std::vector<Queue>& schedule) {
    std::array<int64_t, kQueues> next = {};
    for (const Queue q : schedule) {
      now_.queue = static_cast<size_t>(q);
      now_.index = next[now_.queue]++;
      after_.fill(-1);
      access(plan_.queues[now_.queue].compute[static_cast<size_t>(now_.index)]);
      for (size_t other = 0; other < kQueues; ++other) wait_for({other, after_[other]});
    }
    for (size_t q = 0; q < kQueues; ++q) insert(q);
  }

 private:
  // The accesses to bytes of the arena since they were written last.
  struct Accesses {
    Place written;
    std::array<int64_t, kQueues> last = {-1, -1,
                                         -1};  // by queue: the index of the last instruction, the write included
  };

  void access(const Instruction& i) {
    if (const auto* call = i.as<CallRole>()) {
      const RoleAccesses& a = roles_[call->role.index()];
      for (size_t p : a.read) read(call->arguments[p]);
      for (size_t p : a.written) write(call->arguments[p]);
      for (const Range& r : a.inside) write(r);
      return;
    }
    for (BufferId b : i.operands()) read(b);
    for (BufferId b : i.results()) write(b);
    if (i.scratch().is_set()) write(i.scratch());
    if (!i.pieces().empty() && i.results().empty()) write_gaps(i);
  }

  void read(BufferId b) {
    if (f_.buffers[b].storage != Storage::kArena) return;
    const Range r = range_of(f_.buffers[b]);
    std::vector<checks::Owners::Stretch> met;
    owners_.visit(r.begin, r.end, [&](const checks::Owners::Stretch& s) { met.push_back(s); });
    for (const checks::Owners::Stretch& s : met) {
      Accesses a = accesses_[static_cast<size_t>(s.owner)];
      behind(a.written.queue, a.written.index);
      a.last[now_.queue] = now_.index;
      give({s.begin, s.end}, a, [](const auto&) { return Status(); });
    }
  }

  void write(BufferId b) {
    if (f_.buffers[b].storage == Storage::kArena) write(range_of(f_.buffers[b]));
  }
  void write(Range r) {
    Accesses a{.written = now_};
    a.last[now_.queue] = now_.index;
    give(r, a, [&](const checks::Owners::Stretch& s) {
      const Accesses& before = accesses_[static_cast<size_t>(s.owner)];
      for (size_t q = 0; q < kQueues; ++q) behind(q, before.last[q]);
      return Status();
    });
  }

  // The bytes between the tensors of a bucket belong to the instruction that sends the bucket.
  void write_gaps(const Instruction& i) {
    std::vector<Range> tensors;
    for (BufferId b : i.pieces()) tensors.push_back(range_of(f_.buffers[b]));
    std::sort(tensors.begin(), tensors.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    const Range whole = range_of(f_.buffers[i.bucket()]);
    uint64_t end = whole.begin;
    tensors.push_back({whole.end, whole.end});
    for (const Range& t : tensors) {
      write(Range{end, t.begin});
      end = std::max(end, t.end);
    }
  }

  template <class Lost>
  void give(Range r, const Accesses& a, Lost&& lost) {
    accesses_.push_back(a);
    [[maybe_unused]] const Status given =
        owners_.give(r.begin, r.end, static_cast<int32_t>(accesses_.size() - 1), lost);  // `lost` does not fail
  }

  // The current instruction runs behind the one at `index` of `queue`.
  void behind(size_t queue, int64_t index) {
    if (queue != now_.queue) after_[queue] = std::max(after_[queue], index);
  }

  void wait_for(Place other) {
    int64_t& known = known_[now_.queue][other.queue];
    if (other.index <= known) return;
    known = other.index;
    EventId& event = signals_[other.queue][other.index];
    if (!event.is_set()) event = EventId(plan_.events++);
    waits_[now_.queue].emplace_back(now_.index, event);
  }

  // Inserts the signals and waits of a queue.
  void insert(size_t q) {
    std::vector<Instruction>& list = plan_.queues[q].compute;
    std::vector<Instruction> with;
    with.reserve(list.size() + signals_[q].size() + waits_[q].size());
    auto signal = signals_[q].begin();
    auto wait = waits_[q].begin();
    for (int64_t at = 0; at < static_cast<int64_t>(list.size()); ++at) {
      for (; wait != waits_[q].end() && wait->first == at; ++wait)
        with.push_back({.command = AwaitEvent{wait->second}});
      with.push_back(std::move(list[static_cast<size_t>(at)]));
      if (signal != signals_[q].end() && signal->first == at)
        with.push_back({.command = SignalEvent{signal++->second}});
    }
    list = std::move(with);
  }

  Function& f_;
  DevicePlan& plan_;
  std::vector<RoleAccesses> roles_;
  checks::Owners owners_;  // owner: an index of `accesses_`
  std::vector<Accesses> accesses_;
  Place now_;  // the current instruction
  std::array<int64_t, kQueues> after_ =
      {};  // by queue: the last instruction that the current one must run behind; -1: none
  std::array<std::array<int64_t, kQueues>, kQueues> known_;  // by queue: for which one of each queue it waits
  std::array<std::map<int64_t, EventId>, kQueues> signals_;  // by queue and index
  std::array<std::vector<std::pair<int64_t, EventId>>, kQueues> waits_;  // by queue: index and event
};

}  // namespace

void order_queues(Function& function, size_t device, const std::vector<Queue>& schedule) {
  QueueOrder(function, device).run(schedule);
}

}  // namespace cutset
