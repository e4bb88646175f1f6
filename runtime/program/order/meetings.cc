// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/order/meetings.h"

namespace cutset {

Meetings::Meetings(const Function& function) : f_(function) {
  for (const DevicePlan& d : f_.devices) {
    first_event_.push_back(happenings_.size());
    happenings_.resize(happenings_.size() + static_cast<size_t>(d.events));
  }
  first_channel_ = happenings_.size();
  first_collective_ = first_channel_ + f_.channels.size();
  happenings_.resize(first_collective_);
  for (const Collective& c : f_.collectives) happenings_.push_back({c.partials.size(), {}});
}

Meetings::Run Meetings::run(bool apply) {
  Run run;
  run.next.resize(f_.devices.size() * kQueues);
  std::vector<size_t> ready;
  for (size_t q = 0; q < run.next.size(); ++q) ready.push_back(q);
  while (!ready.empty()) {
    const size_t q = ready.back();
    ready.pop_back();
    const std::vector<Instruction>& list = list_of(f_, q, apply);
    for (size_t& at = run.next[q]; at < list.size(); ++at) {
      const uint32_t number = happening_of(list[at], q / kQueues);
      if (number == kNoHappening) continue;
      Happening& h = happenings_[number];
      const bool gives = !waits(list[at]);
      if (!gives && h.givers_left > 0) {
        h.waiting.push_back(q);
        break;
      }
      run.meetings.push_back({static_cast<uint32_t>(q), number, at, gives});
      if (!gives || --h.givers_left > 0) continue;
      ready.insert(ready.end(), h.waiting.begin(), h.waiting.end());
      h.waiting.clear();
    }
  }
  return run;
}

uint32_t Meetings::happening_of(const Instruction& i, size_t device) const {
  const size_t number = std::visit(
      [&](const auto& c) -> size_t {
        if constexpr (requires { c.event; })
          return first_event_[device] + c.event.index();
        else if constexpr (requires { c.channel; })
          return first_channel_ + c.channel.index();
        else if constexpr (requires { c.collective; })
          return first_collective_ + c.collective.index();
        else
          return kNoHappening;
      },
      i.command);
  return static_cast<uint32_t>(number);
}

}  // namespace cutset
