// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/order/order_queues.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ir/core/result.h"
#include "runtime/program/check/owners.h"
#include "runtime/program/order/role_accesses.h"

namespace cutset {
namespace {

ArenaRange range_of(const Buffer& b) { return {b.offset, b.offset + static_cast<uint64_t>(b.type.bytes())}; }

// An instruction of the device, or none.
struct QueuePosition {
  size_t queue = 0;
  int64_t index = -1;  // in its list; -1: none
};

class QueueOrder {
 public:
  QueueOrder(Function& f, size_t device) : f_(f), plan_(f.devices[device]), frames_(f.frames.size()) {
    for (const Role& r : f.roles)
      roles_.push_back(r.device == static_cast<int32_t>(device) ? RoleAccesses::of(r) : RoleAccesses());
    for (auto& indices : known_) indices.fill(-1);
    for (size_t q = 0; q < kQueues; ++q) signals_[q].resize(plan_.queues[q].compute.size());
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
    QueuePosition written;
    // By queue: the index of the last instruction, the write included.
    std::array<int64_t, kQueues> last = {-1, -1, -1};
    uint64_t bytes = 0;  // how many bytes have these accesses
  };

  void access(const Instruction& i) {
    if (const auto* call = i.as<CallRole>()) {
      const RoleAccesses& accesses = roles_[call->role.index()];
      for (size_t a = 0; a < call->arguments.size(); ++a)
        if (accesses.arguments[a].any.read)
          for (const ArenaRange& r : ranges_of(call->arguments[a])) read(r);
      for (size_t a = 0; a < call->arguments.size(); ++a)
        if (accesses.arguments[a].any.written)
          for (const ArenaRange& r : ranges_of(call->arguments[a])) write(r);
      for (const ArenaRange& r : accesses.inside) write(r);
      return;
    }
    for (BufferId b : i.operands()) read(b);
    for (BufferId b : i.results()) write(b);
    if (!i.pieces().empty() && i.results().empty()) write_gaps(i);
  }

  // Returns the memory of the buffers of a frame. Buffers that are next to each other are one range.
  const std::vector<ArenaRange>& ranges_of(FrameId frame) {
    auto& [is_known, ranges] = frames_[frame.index()];
    if (std::exchange(is_known, true)) return ranges;
    for (BufferId b : f_.frames[frame].buffers)
      if (const Buffer& buffer = f_.buffers[b];
          buffer.storage == Storage::kArena && buffer.type.bytes() > 0) {
        const ArenaRange r = range_of(buffer);
        if (!ranges.empty() && ranges.back().end == r.begin)
          ranges.back().end = r.end;
        else
          ranges.push_back(r);
      }
    return ranges;
  }

  void read(BufferId b) {
    if (f_.buffers[b].storage == Storage::kArena) read(range_of(f_.buffers[b]));
  }
  void read(ArenaRange r) {
    split_.clear();
    owners_.visit(r.begin, r.end, [&](const checks::Owners::Stretch& s) {
      Accesses& a = accesses_[static_cast<size_t>(s.owner)];
      behind(a.written.queue, a.written.index);
      if (s.end - s.begin == a.bytes)
        a.last[now_.queue] = now_.index;
      else
        split_.push_back(s);  // some bytes of the last access are not read now
    });
    for (const checks::Owners::Stretch& s : split_) {
      Accesses a = accesses_[static_cast<size_t>(s.owner)];
      a.last[now_.queue] = now_.index;
      give({s.begin, s.end}, a, [](const auto&) {});
    }
  }

  void write(BufferId b) {
    if (f_.buffers[b].storage == Storage::kArena) write(range_of(f_.buffers[b]));
  }
  void write(ArenaRange r) {
    Accesses a{.written = now_};
    a.last[now_.queue] = now_.index;
    // The frequent case that the bytes of an earlier access are written again, all of them and no others.
    if (const int32_t* owner = owners_.owner_of(r.begin, r.end))
      if (Accesses& before = accesses_[static_cast<size_t>(*owner)]; before.bytes == r.end - r.begin) {
        for (size_t q = 0; q < kQueues; ++q) behind(q, before.last[q]);
        a.bytes = before.bytes;
        before = a;
        return;
      }
    give(r, a, [&](const checks::Owners::Stretch& s) {
      const Accesses& before = accesses_[static_cast<size_t>(s.owner)];
      for (size_t q = 0; q < kQueues; ++q) behind(q, before.last[q]);
    });
  }

  // Gives the bytes between the tensors of a bucket to the instruction that sends the bucket.
  void write_gaps(const Instruction& i) {
    std::vector<ArenaRange> tensors;
    for (BufferId b : i.pieces()) tensors.push_back(range_of(f_.buffers[b]));
    std::sort(tensors.begin(), tensors.end(),
              [](const ArenaRange& a, const ArenaRange& b) { return a.begin < b.begin; });
    const ArenaRange bucket = range_of(f_.buffers[i.bucket()]);
    uint64_t end = bucket.begin;
    tensors.push_back({bucket.end, bucket.end});
    for (const ArenaRange& t : tensors) {
      write(ArenaRange{end, t.begin});
      end = std::max(end, t.end);
    }
  }

  // Gives the bytes of `r` to a new access. Calls lost(stretch) for each stretch of them that was accessed
  // before.
  template <class Lost>
  void give(ArenaRange r, Accesses a, Lost&& lost) {
    a.bytes = r.end - r.begin;
    accesses_.push_back(a);
    [[maybe_unused]] const Status status = owners_.give(
        r.begin, r.end, static_cast<int32_t>(accesses_.size() - 1), [&](const checks::Owners::Stretch& s) {
          lost(s);
          accesses_[static_cast<size_t>(s.owner)].bytes -= s.end - s.begin;
          return Status();
        });
  }

  // Orders the current instruction after the instruction at `index` of `queue`.
  void behind(size_t queue, int64_t index) {
    if (queue != now_.queue) after_[queue] = std::max(after_[queue], index);
  }

  void wait_for(QueuePosition other) {
    int64_t& index = known_[now_.queue][other.queue];
    if (other.index <= index) return;
    index = other.index;
    EventId& event = signals_[other.queue][static_cast<size_t>(other.index)];
    if (!event.is_set()) event = EventId(plan_.events++);
    waits_[now_.queue].emplace_back(now_.index, event);
  }

  // Inserts the signals and waits of a queue.
  void insert(size_t q) {
    std::vector<Instruction>& list = plan_.queues[q].compute;
    std::vector<Instruction> with;
    const auto signals = std::ranges::count_if(signals_[q], [](EventId e) { return e.is_set(); });
    with.reserve(list.size() + static_cast<size_t>(signals) + waits_[q].size());
    auto wait = waits_[q].begin();
    for (int64_t at = 0; at < static_cast<int64_t>(list.size()); ++at) {
      for (; wait != waits_[q].end() && wait->first == at; ++wait)
        with.push_back({.command = AwaitEvent{wait->second}});
      with.push_back(std::move(list[static_cast<size_t>(at)]));
      if (const EventId event = signals_[q][static_cast<size_t>(at)]; event.is_set())
        with.push_back({.command = SignalEvent{event}});
    }
    list = std::move(with);
  }

  Function& f_;
  DevicePlan& plan_;
  std::vector<RoleAccesses> roles_;
  std::vector<std::pair<bool, std::vector<ArenaRange>>>
      frames_;             // by frame: whether its ranges are known, and these
  checks::Owners owners_;  // owner: an index of `accesses_`
  std::vector<Accesses> accesses_;
  std::vector<checks::Owners::Stretch> split_;  // the stretches that read() divides
  QueuePosition now_;                           // the current instruction
  // By queue: the last instruction that must run before the current one; -1: none.
  std::array<int64_t, kQueues> after_ = {};
  std::array<std::array<int64_t, kQueues>, kQueues> known_;  // by queue: for which one of each queue it waits
  std::array<std::vector<EventId>, kQueues> signals_;        // by queue and index
  std::array<std::vector<std::pair<int64_t, EventId>>, kQueues> waits_;  // by queue: index and event
};

}  // namespace

void order_queues(Function& function, size_t device, const std::vector<Queue>& schedule) {
  QueueOrder(function, device).run(schedule);
}

}  // namespace cutset
