// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/check/order.h"

#include <map>
#include <span>

#include "runtime/program/check/check.h"

namespace cutset::checks {

// Simulates all queues. Each queue runs in order, and each event, message and sum happens once per step. The
// order in which the queues are simulated therefore does not change which of them are blocked in the end.
class Player {
 public:
  explicit Player(Order& order) : order_(order), f_(*order.f_) {
    for (const DevicePlan& d : f_.devices) {
      first_event_.push_back(happenings_.size());
      happenings_.resize(happenings_.size() + static_cast<size_t>(d.events));
    }
    first_channel_ = happenings_.size();
    happenings_.resize(happenings_.size() + f_.channels.size());
    first_collective_ = happenings_.size();
    for (const Collective& c : f_.collectives) happenings_.push_back({c.partials.size(), {}});
    order_.happenings_ = happenings_.size();
  }

  Status play(bool apply) {
    std::vector<size_t> next(f_.devices.size() * kQueues, 0), ready;
    for (size_t q = 0; q < next.size(); ++q) ready.push_back(q);
    while (!ready.empty()) {
      const size_t q = ready.back();
      ready.pop_back();
      for (const auto& list = order_.list(q, apply); next[q] < list.size(); ++next[q]) {
        const Instruction& i = list[next[q]];
        Happening* h = happening(i, q / kQueues);
        if (!h) continue;
        const bool waits = Player::waits(i);
        if (waits && h->left > 0) {
          h->waiting.push_back(q);
          break;
        }
        order_.meetings_[apply].push_back(
            {static_cast<uint32_t>(q), static_cast<uint32_t>(h - happenings_.data()), next[q], !waits});
        if (waits) continue;
        if (--h->left > 0) continue;
        ready.insert(ready.end(), h->waiting.begin(), h->waiting.end());
        h->waiting.clear();
      }
    }
    for (size_t q = 0; q < next.size(); ++q)
      if (next[q] < order_.list(q, apply).size()) return blocked(next, apply, q);
    return {};
  }

 private:
  // An event, a message or an all_reduce, which happens when `left` reaches 0. `left` is the number of its
  // signals, sends or starts that have not been executed yet.
  struct Happening {
    size_t left = 1;
    std::vector<size_t> waiting;  // the queues that are blocked until it happens
  };

  static std::string never_happens(const Instruction& i) {
    if (const auto* c = i.as<AwaitEvent>())
      return "event " + std::to_string(c->event.value) + ", which is never signalled";
    if (const auto* c = i.as<Receive>())
      return "a message of channel " + std::to_string(c->channel.value) + " that is never sent";
    return "the sum of all_reduce " + std::to_string(i.as<AwaitAllReduce>()->collective.value) +
           ", of which one partial sum is never started";
  }

  // What the instruction waits for, which an instruction of the device `giver` behind a blocked one would
  // make happen.
  std::string awaited(const Instruction& i, size_t giver) const {
    const std::string& device = f_.devices[giver].device;
    if (const auto* c = i.as<AwaitEvent>()) return "event " + std::to_string(c->event.value);
    if (const auto* c = i.as<Receive>())
      return "a message of channel " + std::to_string(c->channel.value) + " from " + device;
    return "the partial sum of " + device + " in all_reduce " +
           std::to_string(i.as<AwaitAllReduce>()->collective.value);
  }

  // The instruction at which a queue is blocked, with the user's line.
  std::string blocked_at(const std::vector<size_t>& next, bool apply, size_t q) const {
    const std::string& source = order_.list(q, apply)[next[q]].source();
    return place(f_, q / kQueues, static_cast<int>(q % kQueues), apply, next[q]) +
           (source.empty() ? "" : ", " + shown(source) + ",");
  }

  // Why the queue `first` is blocked: it waits for something that no instruction gives, or it leads to queues
  // that wait for each other. `next` has the first instruction of each queue that was not executed.
  Failure blocked(const std::vector<size_t>& next, bool apply, size_t first) {
    std::map<const Happening*, size_t> givers;  // what has not happened -> a queue that would give it
    for (size_t q = 0; q < next.size(); ++q)
      for (const auto& list = order_.list(q, apply); const Instruction& i : std::span(list).subspan(next[q]))
        if (const Happening* h = waits(i) ? nullptr : happening(i, q / kQueues)) givers[h] = q;
    std::vector<size_t> path;
    std::vector<bool> is_on_path(next.size(), false);
    size_t q = first;
    while (!is_on_path[q]) {
      path.push_back(q), is_on_path[q] = true;
      const Instruction& i = order_.list(q, apply)[next[q]];
      const auto giver = givers.find(happening(i, q / kQueues));
      if (giver == givers.end())
        return wrong(f_, blocked_at(next, apply, q) + " waits for " + never_happens(i));
      q = giver->second;
    }
    path.erase(path.begin(), std::ranges::find(path, q));
    return cycle(next, apply, path);
  }

  // `path` has queues of which each waits for the next one, and the last one for the first one. Waits for
  // events inside a device follow from those between devices, so they are named only if there are no others.
  Failure cycle(const std::vector<size_t>& next, bool apply, const std::vector<size_t>& path) const {
    constexpr size_t kMost = 4;
    std::vector<std::string> transfers, all;
    for (size_t n = 0; n < path.size(); ++n) {
      const Instruction& i = order_.list(path[n], apply)[next[path[n]]];
      all.push_back(blocked_at(next, apply, path[n]) + " waits for " +
                    awaited(i, path[(n + 1) % path.size()] / kQueues));
      if (!i.is<AwaitEvent>()) transfers.push_back(all.back());
    }
    const auto& named = transfers.empty() ? all : transfers;
    std::string text = "instructions wait for each other in a cycle: ";
    for (size_t n = 0; n < std::min(named.size(), kMost); ++n) text += (n ? "; " : "") + named[n];
    return wrong(
        f_, text + (named.size() > kMost ? "; and so on, " + std::to_string(named.size()) + " in all" : ""));
  }

  static bool waits(const Instruction& i) {
    return i.is<AwaitEvent>() || i.is<Receive>() || i.is<AwaitAllReduce>();
  }

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

  Order& order_;
  const Function& f_;
  std::vector<Happening> happenings_;
  std::vector<size_t> first_event_;
  size_t first_channel_ = 0, first_collective_ = 0;
};

Result<Order> Order::of(const Function& function) {
  Order order(function);
  Player player(order);
  CUTSET_TRY(player.play(false));
  CUTSET_TRY(player.play(true));
  return order;
}

}  // namespace cutset::checks
