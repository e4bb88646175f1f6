// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/check/order.h"

#include <map>
#include <span>

#include "runtime/program/check/check.h"

namespace cutset::checks {

namespace {

// Describes why a queue is blocked. `next` has the first instruction of each queue that was not executed.
class Blockage {
 public:
  Blockage(const Function& f, const Meetings& meetings, bool apply, const std::vector<size_t>& next)
      : f_(f), meetings_(meetings), apply_(apply), next_(next) {}

  // Says why the queue `first` is blocked: it waits for something that no instruction gives, or it leads to
  // queues that wait for each other.
  Failure failure(size_t first) const {
    std::map<uint32_t, size_t> givers;  // what has not happened -> a queue that would give it
    for (size_t q = 0; q < next_.size(); ++q)
      for (const Instruction& i : std::span(list_of(f_, q, apply_)).subspan(next_[q]))
        if (!waits(i)) givers[meetings_.happening_of(i, q / kQueues)] = q;
    std::vector<size_t> path;
    std::vector<bool> is_on_path(next_.size(), false);
    size_t q = first;
    while (!is_on_path[q]) {
      path.push_back(q);
      is_on_path[q] = true;
      const auto giver = givers.find(meetings_.happening_of(blocked(q), q / kQueues));
      if (giver == givers.end()) return wrong(f_, blocked_at(q) + " waits for " + never_happens(blocked(q)));
      q = giver->second;
    }
    path.erase(path.begin(), std::ranges::find(path, q));
    return cycle(path);
  }

 private:
  const Instruction& blocked(size_t q) const { return list_of(f_, q, apply_)[next_[q]]; }

  static std::string never_happens(const Instruction& i) {
    if (const auto* c = i.as<AwaitEvent>())
      return "event " + std::to_string(c->event.value) + ", which is never signalled";
    if (const auto* c = i.as<Receive>())
      return "a message of channel " + std::to_string(c->channel.value) + " that is never sent";
    return "the sum of all_reduce " + std::to_string(i.as<AwaitAllReduce>()->collective.value) +
           ", of which one partial sum is never started";
  }

  // Returns what the instruction waits for: something that an instruction of the device `giver` after a
  // blocked one would make happen.
  std::string awaited(const Instruction& i, size_t giver) const {
    const std::string& device = f_.devices[giver].device;
    if (const auto* c = i.as<AwaitEvent>()) return "event " + std::to_string(c->event.value);
    if (const auto* c = i.as<Receive>())
      return "a message of channel " + std::to_string(c->channel.value) + " from " + device;
    return "the partial sum of " + device + " in all_reduce " +
           std::to_string(i.as<AwaitAllReduce>()->collective.value);
  }

  // Returns as text the instruction at which a queue is blocked, with the user's line.
  std::string blocked_at(size_t q) const {
    const std::string& source = blocked(q).source();
    return place(f_, q / kQueues, static_cast<int>(q % kQueues), apply_, next_[q]) +
           (source.empty() ? "" : ", " + shown(source) + ",");
  }

  // Returns the failure for a cycle: each queue of `path` waits for the next queue, and the last one for the
  // first one. Waits for events inside a device follow from waits between devices, so they are named only if
  // there are no others.
  Failure cycle(const std::vector<size_t>& path) const {
    constexpr size_t kMost = 4;
    std::vector<std::string> transfers, all;
    for (size_t n = 0; n < path.size(); ++n) {
      const Instruction& i = blocked(path[n]);
      all.push_back(blocked_at(path[n]) + " waits for " + awaited(i, path[(n + 1) % path.size()] / kQueues));
      if (!i.is<AwaitEvent>()) transfers.push_back(all.back());
    }
    const auto& named = transfers.empty() ? all : transfers;
    std::string text = "instructions wait for each other in a cycle: ";
    for (size_t n = 0; n < std::min(named.size(), kMost); ++n) text += (n ? "; " : "") + named[n];
    return wrong(
        f_, text + (named.size() > kMost ? "; and so on, " + std::to_string(named.size()) + " in all" : ""));
  }

  const Function& f_;
  const Meetings& meetings_;
  const bool apply_;
  const std::vector<size_t>& next_;
};

}  // namespace

Result<Order> Order::of(const Function& function) {
  Order order(function);
  Meetings meetings(function);
  order.happenings_ = meetings.happenings();
  for (const bool apply : {false, true}) {
    Meetings::Run run = meetings.run(apply);
    for (size_t q = 0; q < run.next.size(); ++q)
      if (run.next[q] < list_of(function, q, apply).size())
        return Blockage(function, meetings, apply, run.next).failure(q);
    order.meetings_[apply] = std::move(run.meetings);
  }
  return order;
}

}  // namespace cutset::checks
