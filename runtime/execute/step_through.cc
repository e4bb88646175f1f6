// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/step_through.h"

namespace cutset {

Status StepThrough::walk(const std::vector<std::vector<BoundCommand>>& lists, bool apply) {
  std::vector<size_t> next(lists.size(), 0);
  auto place_of = [&](size_t queue, const Instruction& i, bool applies) {
    size_t of_program = 0;
    while (device_of_[of_program] != queue / kQueues) ++of_program;
    return Observer::PlacedInstruction{of_program, static_cast<Queue>(queue % kQueues), applies, &i};
  };
  auto can_go_on = [&](const BoundCommand& a) {
    if (const auto* c = std::get_if<bound::AwaitEvent>(&a.command)) return happened_.contains(c->event);
    if (const auto* c = std::get_if<bound::Receive>(&a.command))
      return happened_.contains(c->link->staging(c->slot));
    if (const auto* c = std::get_if<bound::AwaitAllReduce>(&a.command))
      return arrived_[c->group] ==
             function_.collectives[a.source->as<AwaitAllReduce>()->collective].partials.size();
    return true;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t w = 0; w < lists.size(); ++w) {
      OpenDevice& device = executor_.devices().device(w / kQueues);
      while (next[w] < lists[w].size() && can_go_on(lists[w][next[w]])) {
        const BoundCommand& a = lists[w][next[w]++];
        progress = true;
        const Observer::PlacedInstruction place = place_of(w, *a.source, apply);
        CUTSET_TRY(observer_.before(place));
        CUTSET_TRY(run_command(device, executor_.devices().queue(w), a, run_));
        CUTSET_TRY(device.status(device.api().finish(executor_.devices().queue(w))));
        if (const auto* c = std::get_if<bound::SignalEvent>(&a.command)) happened_.insert(c->event);
        if (const auto* c = std::get_if<bound::Send>(&a.command)) happened_.insert(c->link->staging(c->slot));
        if (const auto* c = std::get_if<bound::StartAllReduce>(&a.command)) ++arrived_[c->group];
        CUTSET_TRY(observer_.after(place));
      }
    }
  }
  // The wait for an event can be a mere consequence of another blocked queue, so it is reported only if no
  // receive and no all-reduce is blocked. Every blocked receive and all-reduce is reported, because any of
  // them may be the wrong instruction of a cycle.
  Status first;
  for (const bool event : {false, true}) {
    for (size_t w = 0; w < lists.size(); ++w) {
      if (next[w] == lists[w].size()) continue;
      const Instruction& i = *lists[w][next[w]].source;
      const auto* wait = i.as<AwaitEvent>();
      if ((wait != nullptr) != event) continue;
      const std::string device = executor_.devices().device(w / kQueues).description().name();
      Failure why =
          event ? execution_failed("a queue of " + device + " waits for event " +
                                   std::to_string(wait->event.value) + ", which is never signalled")
                : execution_failed("'" + i.op() + "' on " + device +
                                   (i.is<Receive>()
                                        ? " waits for a message that is never sent"
                                        : " waits for a sum of which one partial sum is never started"));
      why.source = i.source();
      Status status = observer_.stuck(place_of(w, i, apply), why);
      if (first.ok()) first = status.ok() ? Status(why) : status;
    }
    if (!first.ok()) return first;
  }
  return {};
}

}  // namespace cutset
