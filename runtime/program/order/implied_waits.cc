// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/order/implied_waits.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>

namespace cutset {
namespace {

// How many instructions of each queue of each device are known to be done, a vector clock (Fidge 1988,
// Mattern 1989). Signals and waits do not count, because they access no memory.
using Clock = std::span<int32_t>;

bool contains(Clock whole, Clock part) {
  bool all = true;  // without a jump per queue, so that the compiler uses vector instructions
  for (size_t q = 0; q < part.size(); ++q) all &= part[q] <= whole[q];
  return all;
}

void join(Clock to, Clock from) {
  for (size_t q = 0; q < to.size(); ++q) to[q] = std::max(to[q], from[q]);
}

// An event, a message or a sum, which happens when `left` reaches 0, its number of signals, sends or starts
// to come.
struct Happening {
  size_t left = 1;
  size_t queue = 0;             // of an event: the queue that signals it
  Clock clock;                  // what is done when it happens; empty: nothing has been given yet
  std::vector<size_t> waiting;  // the queues that are blocked until it happens
};

// Plays all queues in an order that the waits allow, and finds the waits that are implied.
class Player {
 public:
  explicit Player(const Function& f) : f_(f), queues_(f.devices.size() * kQueues) {
    for (const DevicePlan& d : f_.devices) {
      first_event_.push_back(happenings_.size());
      happenings_.resize(happenings_.size() + static_cast<size_t>(d.events));
    }
    first_channel_ = happenings_.size();
    happenings_.resize(happenings_.size() + f_.channels.size());
    first_collective_ = happenings_.size();
    for (const Collective& c : f_.collectives) happenings_.emplace_back().left = c.partials.size();
    // One allocation for all clocks: those of the queues, then `others_`, then those of what happens.
    memory_ = std::make_unique_for_overwrite<int32_t[]>((queues_ + 1 + happenings_.size()) * queues_);
    for (size_t q = 0; q < queues_; ++q) std::ranges::fill(clocks_.emplace_back(new_clock()), 0);
    others_ = new_clock();
  }

  // By queue: whether each wait of the lists `compute` or `apply` is implied.
  std::vector<std::vector<bool>> play(bool apply) {
    implied_.assign(queues_, {});
    next_.assign(queues_, 0), scanned_.assign(queues_, 0);
    std::vector<size_t> ready;
    for (size_t q = 0; q < queues_; ++q) implied_[q].resize(list(q, apply).size()), ready.push_back(q);
    while (!ready.empty()) {
      const size_t q = ready.back();
      ready.pop_back();
      run(q, list(q, apply), ready);
    }
    // `apply` begins when `compute` is done on all queues.
    for (size_t q = 0; q < queues_; ++q) others_[q] = clocks_[q][q];
    for (Clock clock : clocks_) std::ranges::copy(others_, clock.begin());
    return std::move(implied_);
  }

 private:
  const std::vector<Instruction>& list(size_t q, bool apply) const {
    const Sequence& s = f_.devices[q / kQueues].queues[q % kQueues];
    return apply ? s.apply : s.compute;
  }

  // Runs a queue until it is blocked. Adds the queues that this sets free to `ready`.
  void run(size_t q, const std::vector<Instruction>& list, std::vector<size_t>& ready) {
    for (size_t& at = next_[q]; at < list.size(); ++at) {
      if (list[at].is<AwaitEvent>() || takes(list[at])) {
        if (!waits(q, list, at)) return;
        if (at == list.size()) return;
      }
      if (!list[at].is<SignalEvent>()) ++clocks_[q][q];
      Happening* given = takes(list[at]) ? nullptr : happening(list[at], q / kQueues);
      if (!given) continue;
      if (given->clock.empty())
        std::ranges::copy(clocks_[q], (given->clock = new_clock()).begin());
      else
        join(given->clock, clocks_[q]);
      given->queue = q;
      if (--given->left > 0) continue;
      ready.insert(ready.end(), given->waiting.begin(), given->waiting.end());
      given->waiting.clear();
    }
  }

  static bool takes(const Instruction& i) { return i.is<Receive>() || i.is<AwaitAllReduce>(); }

  // Plays the waits that follow one another from `at` on, together with the instruction behind them if that
  // takes a message or a sum, because it does not begin before that has arrived. Advances `at` behind the
  // waits. Returns false if something has not happened yet. Of the waits for one queue only that for the
  // latest signal can be necessary.
  bool waits(size_t q, const std::vector<Instruction>& list, size_t& at) {
    size_t& end = scanned_[q];  // what is before it has happened, and need not be looked at again
    const Happening* taken = nullptr;
    for (end = std::max(end, at); end < list.size(); ++end) {
      const bool awaits = list[end].is<AwaitEvent>();
      if (!awaits && !takes(list[end])) break;
      Happening& h = *happening(list[end], q / kQueues);
      if (h.left > 0) {
        h.waiting.push_back(q);
        return false;
      }
      if (!awaits) taken = &h;
      if (!awaits) break;
    }
    const size_t device = q / kQueues * kQueues;
    // By queue that signals: the latest signal that is waited for here.
    std::array<const Happening*, kQueues> latest = {};
    for (size_t i = at; i < end; ++i) {
      const Happening& s = *happening(list[i], q / kQueues);
      if (const Happening*& known = latest[s.queue - device]; !known || contains(s.clock, known->clock))
        known = &s;
    }
    if (taken) join(clocks_[q], taken->clock);
    for (const Happening*& candidate : latest) {
      if (!candidate) continue;
      if (contains(clocks_[q], candidate->clock)) {
        candidate = nullptr;
        continue;
      }
      if (std::ranges::count(latest, nullptr) + 1 == kQueues) continue;  // there is no other signal
      std::ranges::copy(clocks_[q], others_.begin());
      for (const Happening* s : latest)
        if (s && s != candidate) join(others_, s->clock);
      if (contains(others_, candidate->clock)) candidate = nullptr;
    }
    for (size_t i = at; i < end; ++i) {
      const Happening*& needed = latest[happening(list[i], q / kQueues)->queue - device];
      implied_[q][i] = needed != happening(list[i], q / kQueues);
      if (implied_[q][i]) continue;
      join(clocks_[q], needed->clock);
      needed = nullptr;  // a second wait for the same event is implied
    }
    at = end;
    return true;
  }

  // The event, the message or the sum that the instruction gives or takes; null: none.
  Happening* happening(const Instruction& i, size_t device) {
    return std::visit(
        [&](const auto& c) -> Happening* {
          if constexpr (requires { c.event; })
            return &happenings_[first_event_[device] + c.event.index()];
          else if constexpr (requires { c.channel; })
            return &happenings_[first_channel_ + c.channel.index()];
          else if constexpr (requires { c.collective; })
            return &happenings_[first_collective_ + c.collective.index()];
          else
            return nullptr;
        },
        i.command);
  }

  Clock new_clock() { return {memory_.get() + used_++ * queues_, queues_}; }

  const Function& f_;
  const size_t queues_;                // queue q of device d has the number d * kQueues + q
  std::unique_ptr<int32_t[]> memory_;  // of the clocks
  size_t used_ = 0;                    // the number of clocks in it
  std::vector<Happening> happenings_;
  std::vector<size_t> first_event_;
  size_t first_channel_ = 0, first_collective_ = 0;
  std::vector<Clock> clocks_;  // by queue
  std::vector<std::vector<bool>> implied_;
  std::vector<size_t> next_, scanned_;
  Clock others_;  // storage for `waits`
};

// Removes the marked waits of a device, and the signals that no other wait names, and numbers its events
// anew. `of_compute`, `of_apply`: by queue, which waits of these lists are marked.
void drop_waits(DevicePlan& plan, std::span<const std::vector<bool>> of_compute,
                std::span<const std::vector<bool>> of_apply) {
  std::vector<EventId> number(static_cast<size_t>(plan.events));  // of each event that is waited for
  const auto for_each_list = [&](auto&& f) {
    for (size_t q = 0; q < kQueues; ++q)
      f(plan.queues[q].compute, of_compute[q]), f(plan.queues[q].apply, of_apply[q]);
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
  Player player(function);
  const auto of_compute = player.play(false), of_apply = player.play(true);
  for (size_t d = 0; d < function.devices.size(); ++d)
    drop_waits(function.devices[d], std::span(of_compute).subspan(d * kQueues, kQueues),
               std::span(of_apply).subspan(d * kQueues, kQueues));
}

}  // namespace cutset
