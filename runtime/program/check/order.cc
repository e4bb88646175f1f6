#include "runtime/program/check/order.h"

#include "runtime/program/check/check.h"

namespace cutset::check {
namespace {

// An event, a message or an all_reduce, which happens when `left` reaches 0. `left` is the number of its signals, sends
// or starts that have not been executed yet.
struct Happening {
  size_t left = 1;
  std::vector<size_t> waiting;  // the queues that are blocked until it happens
};

// Simulates all queues. Each queue runs in order, and each event, message and sum happens once per step. The order in
// which the queues are simulated therefore does not change which of them are blocked in the end.
class Player {
 public:
  explicit Player(const Function& f) : f_(f) {
    for (const DevicePlan& d : f.devices) {
      first_event_.push_back(happenings_.size());
      happenings_.resize(happenings_.size() + static_cast<size_t>(d.events));
    }
    first_channel_ = happenings_.size();
    happenings_.resize(happenings_.size() + f.channels.size());
    first_collective_ = happenings_.size();
    for (const Collective& c : f.collectives) happenings_.push_back({c.partials.size(), {}});
  }

  Status play(bool apply) {
    std::vector<size_t> next(f_.devices.size() * kQueues, 0), ready;
    auto list_of = [&](size_t q) -> const std::vector<Instruction>& {
      const Sequence& s = f_.devices[q / kQueues].queues[q % kQueues];
      return apply ? s.apply : s.compute;
    };
    for (size_t q = 0; q < next.size(); ++q) ready.push_back(q);
    while (!ready.empty()) {
      const size_t q = ready.back();
      ready.pop_back();
      for (const auto& list = list_of(q); next[q] < list.size(); ++next[q]) {
        const Instruction& i = list[next[q]];
        Happening* h = happening(i, q / kQueues);
        if (!h) continue;
        if (i.is<AwaitEvent>() || i.is<Receive>() || i.is<AwaitAllReduce>()) {
          if (h->left == 0) continue;
          h->waiting.push_back(q);
          break;
        }
        if (--h->left > 0) continue;
        ready.insert(ready.end(), h->waiting.begin(), h->waiting.end());
        h->waiting.clear();
      }
    }
    for (size_t q = 0; q < next.size(); ++q)
      if (next[q] < list_of(q).size())
        return wrong(f_, place(f_, q / kQueues, static_cast<int>(q % kQueues), apply, next[q]) + " waits for " +
                             awaited(list_of(q)[next[q]]));
    return {};
  }

 private:
  static std::string awaited(const Instruction& i) {
    if (const auto* c = i.as<AwaitEvent>())
      return "event " + std::to_string(c->event.value) + ", which is never signalled";
    if (const auto* c = i.as<Receive>())
      return "a message of channel " + std::to_string(c->channel.value) + " that is never sent";
    return "the sum of all_reduce " + std::to_string(i.as<AwaitAllReduce>()->collective.value) +
           ", of which one partial sum is never started";
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

  const Function& f_;
  std::vector<Happening> happenings_;
  std::vector<size_t> first_event_;
  size_t first_channel_ = 0, first_collective_ = 0;
};

}  // namespace

Status check_order(const Function& f) {
  Player player(f);
  CUTSET_TRY(player.play(false));
  return player.play(true);
}

}  // namespace cutset::check
