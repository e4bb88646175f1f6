// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/order/implied_waits.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "runtime/program/order/meetings.h"

namespace cutset {
namespace {

// How many instructions of each queue of each device are known to be done, a vector clock (Fidge 1988,
// Mattern 1989). Signals and waits do not count, because they access no memory.
using Clock = std::span<int32_t>;

bool contains(Clock clock, Clock other) {
  bool all = true;  // without a jump per queue, so that the compiler uses vector instructions
  for (size_t q = 0; q < other.size(); ++q) all &= other[q] <= clock[q];
  return all;
}

void join(Clock to, Clock from) {
  for (size_t q = 0; q < to.size(); ++q) to[q] = std::max(to[q], from[q]);
}

// Follows the meetings of the queues, and finds the waits that are implied.
class ImpliedWaits {
 public:
  explicit ImpliedWaits(const Function& f)
      : f_(f), meetings_(f), queues_(f.devices.size() * kQueues), happenings_(meetings_.happenings()) {
    // One allocation for all clocks: the clocks of the queues, then `others_`, then the clocks of the
    // happenings.
    memory_ = std::make_unique_for_overwrite<int32_t[]>((queues_ + 1 + happenings_.size()) * queues_);
    for (size_t q = 0; q < queues_; ++q) std::ranges::fill(clocks_.emplace_back(new_clock()), 0);
    others_ = new_clock();
  }

  // Returns, by queue, whether each wait of the lists `compute` or `apply` is implied.
  std::vector<std::vector<bool>> find(bool apply) {
    std::vector<std::vector<bool>> implied(queues_);
    for (size_t q = 0; q < queues_; ++q) implied[q].resize(list_of(f_, q, apply).size());
    const Meetings::Run run = meetings_.run(apply);
    std::vector<size_t> counted(queues_, 0);  // how many instructions of each list its clock knows
    for (const Meeting& m : run.meetings) {
      const std::vector<Instruction>& list = list_of(f_, m.queue, apply);
      if (m.gives) {
        count(m.queue, list, counted[m.queue], m.index + 1);
        give(m);
      } else if (!list[m.index].is<AwaitEvent>() || m.index + 1 == list.size() || !waits(list[m.index + 1])) {
        follow_waits(m, list, implied[m.queue]);
      }
    }
    // `apply` begins when `compute` is done on all queues.
    for (size_t q = 0; q < queues_; ++q) {
      count(q, list_of(f_, q, apply), counted[q], run.next[q]);
      others_[q] = clocks_[q][q];
    }
    for (Clock clock : clocks_) std::ranges::copy(others_, clock.begin());
    return implied;
  }

 private:
  // What the instructions that give a happening know.
  struct Happening {
    size_t queue = 0;  // of an event: the queue that signals it
    Clock clock;       // what is done when it happens; empty: nothing has given it yet
  };

  // Adds the instructions of the list before `end` to the clock of queue `q`. Signals and waits for events do
  // not count.
  void count(size_t q, const std::vector<Instruction>& list, size_t& counted, size_t end) {
    for (; counted < end; ++counted)
      clocks_[q][q] += !list[counted].is<SignalEvent>() && !list[counted].is<AwaitEvent>();
  }

  void give(const Meeting& m) {
    Happening& happening = happenings_[m.happening];
    happening.queue = m.queue;
    if (happening.clock.empty())
      std::ranges::copy(clocks_[m.queue], (happening.clock = new_clock()).begin());
    else
      join(happening.clock, clocks_[m.queue]);
  }

  // Follows the waits for events that end at `last`, the last of several waits that follow one another. If
  // `last` takes a message or a sum, the instruction does not begin before that has arrived. Of the waits for
  // one queue, only the wait for the latest signal can be necessary.
  void follow_waits(const Meeting& last, const std::vector<Instruction>& list, std::vector<bool>& implied) {
    const Clock clock = clocks_[last.queue];
    const size_t device = last.queue / kQueues;
    const bool takes = !list[last.index].is<AwaitEvent>();
    const size_t end = takes ? last.index : last.index + 1;
    size_t begin = end;
    while (begin > 0 && list[begin - 1].is<AwaitEvent>()) --begin;
    const auto signal = [&](size_t i) { return &happenings_[meetings_.happening_of(list[i], device)]; };
    // By queue that signals: the latest signal that is waited for here.
    std::array<const Happening*, kQueues> latest = {};
    for (size_t i = begin; i < end; ++i)
      if (const Happening*& newest = latest[signal(i)->queue % kQueues];
          !newest || contains(signal(i)->clock, newest->clock))
        newest = signal(i);
    if (takes) join(clock, happenings_[last.happening].clock);
    drop_implied(latest, clock);
    for (size_t i = begin; i < end; ++i) {
      const Happening*& needed = latest[signal(i)->queue % kQueues];
      implied[i] = needed != signal(i);
      if (implied[i]) continue;
      join(clock, needed->clock);
      needed = nullptr;  // a second wait for the same event is implied
    }
  }

  // Removes the signals that `clock` and the other signals imply.
  void drop_implied(std::array<const Happening*, kQueues>& latest, Clock clock) {
    for (const Happening*& candidate : latest) {
      if (!candidate) continue;
      if (contains(clock, candidate->clock)) {
        candidate = nullptr;
        continue;
      }
      if (std::ranges::count(latest, nullptr) + 1 == kQueues) continue;  // there is no other signal
      std::ranges::copy(clock, others_.begin());
      for (const Happening* s : latest)
        if (s && s != candidate) join(others_, s->clock);
      if (contains(others_, candidate->clock)) candidate = nullptr;
    }
  }

  Clock new_clock() { return {memory_.get() + used_++ * queues_, queues_}; }

  const Function& f_;
  Meetings meetings_;
  const size_t queues_;                // queue q of device d has the number d * kQueues + q
  std::unique_ptr<int32_t[]> memory_;  // of the clocks
  size_t used_ = 0;                    // the number of clocks in it
  std::vector<Happening> happenings_;  // by happening
  std::vector<Clock> clocks_;          // by queue
  Clock others_;                       // storage of `drop_implied`
};

// Removes the marked waits of a device, and the signals that no other wait names, and numbers its events
// anew. `of_compute`, `of_apply`: by queue, which waits of these lists are marked.
void drop_waits(DevicePlan& plan, std::span<const std::vector<bool>> of_compute,
                std::span<const std::vector<bool>> of_apply) {
  std::vector<EventId> number(static_cast<size_t>(plan.events));  // of each event that is waited for
  const auto for_each_list = [&](auto&& f) {
    for (size_t q = 0; q < kQueues; ++q) {
      f(plan.queues[q].compute, of_compute[q]);
      f(plan.queues[q].apply, of_apply[q]);
    }
  };
  for_each_list([&](const std::vector<Instruction>& list, const std::vector<bool>& marked) {
    for (size_t at = 0; at < list.size(); ++at)
      if (const auto* wait = list[at].as<AwaitEvent>(); wait && !marked[at])
        number[wait->event.index()] = EventId(0);
  });
  plan.events = 0;
  for (EventId& n : number)
    if (n.is_set()) n = EventId(plan.events++);
  for_each_list([&](std::vector<Instruction>& list, const std::vector<bool>& marked) {
    size_t at = 0;
    std::erase_if(list, [&](const Instruction& i) {
      const auto* signal = i.as<SignalEvent>();
      return marked[at++] || (signal && !number[signal->event.index()].is_set());
    });
    for (Instruction& i : list) {
      if (auto* signal = i.as<SignalEvent>()) signal->event = number[signal->event.index()];
      if (auto* wait = i.as<AwaitEvent>()) wait->event = number[wait->event.index()];
    }
  });
}

}  // namespace

void drop_implied_waits(Function& function) {
  ImpliedWaits waits(function);
  const auto of_compute = waits.find(false), of_apply = waits.find(true);
  for (size_t d = 0; d < function.devices.size(); ++d)
    drop_waits(function.devices[d], std::span(of_compute).subspan(d * kQueues, kQueues),
               std::span(of_apply).subspan(d * kQueues, kQueues));
}

}  // namespace cutset
