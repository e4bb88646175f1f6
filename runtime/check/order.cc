#include "runtime/check/check.h"

namespace cutset::check {
namespace {

using Kind = Instruction::Kind;

// An event, a message or a sum: it has happened when nothing of it is left to come.
struct Happening {
  size_t left = 1;
  std::vector<size_t> waiting;  // queues
};

// Plays all queues. They run in order, and what they wait for happens once a step, so the order in which they
// are played does not matter.
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
    for (const Collective& c : f.collectives) happenings_.push_back({c.parts.size(), {}});
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
        if (i.kind == Kind::kWait || i.kind == Kind::kRecv || i.kind == Kind::kReduceWait) {
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
        return wrong(
            f_, place(f_, q / kQueues, static_cast<int>(q % kQueues), apply, next[q]) + " waits for what never comes");
    return {};
  }

 private:
  Happening* happening(const Instruction& i, size_t device) {
    const auto index = static_cast<size_t>(i.index);
    switch (i.kind) {
      case Kind::kSignal:
      case Kind::kWait:
        return &happenings_[first_event_[device] + index];
      case Kind::kSend:
      case Kind::kRecv:
        return &happenings_[first_channel_ + index];
      case Kind::kReduceStart:
      case Kind::kReduceWait:
        return &happenings_[first_collective_ + index];
      default:
        return nullptr;
    }
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
