#include "runtime/program/implied_waits.h"

#include <algorithm>
#include <array>

namespace cutset {
namespace {

// How many instructions of each queue are known to be done, a vector clock (Fidge 1988, Mattern 1989).
using Clock = std::array<int64_t, kQueues>;

struct Signal {
  bool happened = false;
  size_t queue = 0;
  Clock clock = {};  // what is done when it is given, the signal included
};

// Plays the queues of a device in an order that the waits allow, and finds the waits that are implied.
class Player {
 public:
  explicit Player(DevicePlan& plan) : plan_(plan), signals_(static_cast<size_t>(plan.events)) {}

  // The waits of each queue that are implied, for the lists `compute` or `apply`.
  std::array<std::vector<bool>, kQueues> play(bool apply) {
    std::array<std::vector<bool>, kQueues> implied;
    std::array<size_t, kQueues> next = {};
    scanned_ = {};
    for (size_t q = 0; q < kQueues; ++q) implied[q].resize(list(q, apply).size());
    for (bool progress = true; progress;) {
      progress = false;
      for (size_t q = 0; q < kQueues; ++q)
        while (next[q] < list(q, apply).size()) {
          const size_t first = next[q];
          if (list(q, apply)[first].is<AwaitEvent>()) {
            if (!waits(q, list(q, apply), next[q], implied[q])) break;
          } else {
            run(q, list(q, apply)[first]);
            ++next[q];
          }
          progress = true;
        }
    }
    Clock all = {};  // `apply` begins when `compute` is done on all queues
    for (size_t q = 0; q < kQueues; ++q) all[q] = clocks_[q][q];
    clocks_.fill(all);
    return implied;
  }

 private:
  const std::vector<Instruction>& list(size_t q, bool apply) const {
    return apply ? plan_.queues[q].apply : plan_.queues[q].compute;
  }
  void run(size_t q, const Instruction& i) {
    ++clocks_[q][q];
    if (const auto* s = i.as<SignalEvent>()) signals_[s->event.index()] = {true, q, clocks_[q]};
  }
  const Signal& signal_of(const Instruction& wait) const { return signals_[wait.as<AwaitEvent>()->event.index()]; }

  // Plays the waits that follow one another from `at` on, and advances `at` behind them. Returns false if one of their
  // signals has not been given yet. Of the waits for one queue only that for the latest signal can be necessary.
  bool waits(size_t q, const std::vector<Instruction>& list, size_t& at, std::vector<bool>& implied) {
    size_t& end = scanned_[q];  // the waits before it have happened, and need not be looked at again
    for (end = std::max(end, at); end < list.size() && list[end].is<AwaitEvent>(); ++end)
      if (!signal_of(list[end]).happened) return false;
    std::array<const Signal*, kQueues> latest = {};
    for (size_t i = at; i < end; ++i) {
      const Signal& s = signal_of(list[i]);
      if (const Signal*& known = latest[s.queue]; !known || known->clock[s.queue] < s.clock[s.queue]) known = &s;
    }
    const Clock before = clocks_[q];
    std::array<bool, kQueues> needed = {};
    for (size_t from = 0; from < kQueues; ++from) {
      if (!latest[from]) continue;
      const int64_t given = latest[from]->clock[from];
      needed[from] = before[from] < given;
      for (size_t other = 0; other < kQueues; ++other)
        if (other != from && latest[other] && latest[other]->clock[from] >= given) needed[from] = false;
    }
    for (size_t i = at; i < end; ++i) {
      const Signal& s = signal_of(list[i]);
      implied[i] = !(needed[s.queue] && latest[s.queue] == &s);
      if (!implied[i]) needed[s.queue] = false;  // a second wait for the same event
    }
    for (const Signal* s : latest)
      if (s)
        for (size_t k = 0; k < kQueues; ++k) clocks_[q][k] = std::max(clocks_[q][k], s->clock[k]);
    at = end;
    return true;
  }

  const DevicePlan& plan_;
  std::vector<Signal> signals_;
  std::array<Clock, kQueues> clocks_ = {};
  std::array<size_t, kQueues> scanned_ = {};
};

void erase_marked(std::vector<Instruction>& list, const std::vector<bool>& marked) {
  size_t at = 0;
  std::erase_if(list, [&](const Instruction&) { return marked[at++]; });
}

}  // namespace

void drop_implied_waits(DevicePlan& plan) {
  Player player(plan);
  const auto of_compute = player.play(false), of_apply = player.play(true);
  std::vector<EventId> number(static_cast<size_t>(plan.events));  // of each event that is waited for
  const auto for_each_list = [&](auto&& f) {
    for (Sequence& s : plan.queues) f(s.compute), f(s.apply);
  };
  for (size_t q = 0; q < kQueues; ++q) {
    erase_marked(plan.queues[q].compute, of_compute[q]);
    erase_marked(plan.queues[q].apply, of_apply[q]);
  }
  for_each_list([&](const std::vector<Instruction>& list) {
    for (const Instruction& i : list)
      if (const auto* wait = i.as<AwaitEvent>()) number[wait->event.index()] = EventId(0);
  });
  plan.events = 0;
  for (EventId& n : number)
    if (n.is_set()) n = EventId(plan.events++);
  for_each_list([&](std::vector<Instruction>& list) {
    std::erase_if(list, [&](const Instruction& i) {
      const auto* signal = i.as<SignalEvent>();
      return signal && !number[signal->event.index()].is_set();
    });
    for (Instruction& i : list) {
      if (auto* signal = i.as<SignalEvent>()) signal->event = number[signal->event.index()];
      if (auto* wait = i.as<AwaitEvent>()) wait->event = number[wait->event.index()];
    }
  });
}

}  // namespace cutset
