// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/check_schedule.h"

#include <optional>
#include <string>

namespace cutset {
namespace {

// The messages from one stage to a neighbour.
struct Channel {
  int64_t capacity = 1;
  std::vector<ActionPosition> receivers;  // the actions that use the messages that were sent so far
};

// What the next event of a device waits for: `events` events of `device` must have run. `channel` is the
// channel whose capacity is exhausted, or null if the event waits for a value.
struct Wait {
  int64_t device = 0, events = 0;
  Channel* channel = nullptr;
};

// Every action has two events: event 2 i of a device receives the operand of action i, and event 2 i + 1 runs
// the action and sends its result.
class Run {
 public:
  Run(const PipelineCosts& pipeline, const Schedule& schedule, const ActionIndex& index, int64_t capacity)
      : pipeline_(pipeline),
        schedule_(schedule),
        index_(index),
        done_(schedule.devices.size(), 0),
        on_stack_(schedule.devices.size(), -1) {
    forward_.assign(pipeline.links.size(), {capacity, {}});
    backward_ = forward_;
    checked_.order.reserve(schedule.actions());
  }

  Result<CheckedSchedule> run() {
    for (size_t d = 0; d < done_.size(); ++d) CUTSET_TRY(demand(static_cast<int64_t>(d)));
    for (size_t link = 0; link < forward_.size(); ++link) {
      checked_.capacities.forward.push_back(crosses(link) ? forward_[link].capacity : 0);
      checked_.capacities.backward.push_back(crosses(link) ? backward_[link].capacity : 0);
    }
    return std::move(checked_);
  }

 private:
  // A device that runs until it has run `events` events. While another frame lies above it on the stack,
  // `channel` is the channel that its next event waits for, as in Wait.
  struct Frame {
    int64_t device = 0, events = 0;
    Channel* channel = nullptr;
  };

  int64_t& done(int64_t device) { return done_[static_cast<size_t>(device)]; }

  // Runs all events of `device`, and the events of other devices that they wait for.
  Status demand(int64_t device) {
    push({device, 2 * static_cast<int64_t>(schedule_.devices[static_cast<size_t>(device)].size())});
    while (!stack_.empty()) {
      ++checked_.work;
      Frame& top = stack_.back();
      if (done(top.device) >= top.events) {
        pop();
        continue;
      }
      const std::optional<Wait> wait = blocked(top.device);
      if (!wait) {
        run_event(top.device);
        continue;
      }
      top.channel = wait->channel;
      if (on_stack_[static_cast<size_t>(wait->device)] < 0)
        push({wait->device, wait->events});
      else
        CUTSET_TRY(break_cycle(on_stack_[static_cast<size_t>(wait->device)]));
    }
    return {};
  }

  // Breaks the cycle of the frames from `first` to the top. Raises the capacity of the uppermost channel that
  // a frame waits for, and drops the frames above, which ran only for this wait. Fails if all frames wait for
  // values.
  Status break_cycle(int64_t first) {
    for (auto i = static_cast<int64_t>(stack_.size()) - 1; i >= first; --i) {
      ++checked_.work;
      Frame& frame = stack_[static_cast<size_t>(i)];
      if (!frame.channel) continue;
      ++frame.channel->capacity;
      while (static_cast<int64_t>(stack_.size()) > i + 1) pop();
      return {};
    }
    const int64_t a = stack_[static_cast<size_t>(first)].device, b = stack_.back().device;
    const auto length = static_cast<int64_t>(stack_.size()) - first;
    return invalid_data("actions wait for each other: " + waiting(a) + ", and " + waiting(b) +
                            (length > 2 ? "; " + std::to_string(length) + " devices take part" : ""),
                        "move the action that another device waits for before the action that waits");
  }

  // Returns as text the action at which a device waits, and the action that it waits for.
  std::string waiting(int64_t device) {
    const ActionPosition here{device, done(device) / 2};
    const ActionPosition there = *missing_value(here);
    return pipeline_.name_of_device(device) + " cannot run " + describe(index_.at(here)) + " (action " +
           std::to_string(here.index) + "), before " + pipeline_.name_of_device(there.device) + " has run " +
           describe(index_.at(there)) + " (action " + std::to_string(there.index) + ")";
  }

  // Returns the action of another device whose result the action uses and that has not run yet.
  std::optional<ActionPosition> missing_value(const ActionPosition& position) {
    const ActionIndex::Uses uses = index_.uses(index_.at(position));
    for (int u = 0; u < uses.count; ++u)
      if (done(uses.actions[u].device) < 2 * uses.actions[u].index + 2) return uses.actions[u];
    return {};
  }

  // Returns what the next event of `device` waits for.
  std::optional<Wait> blocked(int64_t device) {
    const ActionPosition next{device, done(device) / 2};
    if (done(device) % 2 == 0) {
      if (const auto value = missing_value(next)) return Wait{value->device, 2 * value->index + 2};
      return {};
    }
    Channel* channel = channel_of(index_.at(next));
    if (!channel || static_cast<int64_t>(channel->receivers.size()) < channel->capacity) return {};
    const ActionPosition receiver =
        channel->receivers[channel->receivers.size() - static_cast<size_t>(channel->capacity)];
    if (done(receiver.device) > 2 * receiver.index) return {};
    return Wait{receiver.device, 2 * receiver.index + 1, channel};
  }

  void run_event(int64_t device) {
    const ActionPosition next{device, done(device) / 2};
    if (done(device)++ % 2 == 0) return;
    checked_.order.push_back(next);
    const Action& action = index_.at(next);
    if (Channel* channel = channel_of(action))
      channel->receivers.push_back(action.kind == ActionKind::kForward
                                       ? index_.forward(action.stage + 1, action.micro_batch)
                                       : index_.gradient(action.stage - 1, action.micro_batch));
  }

  // Returns the channel into which an action sends its result; null: it sends nothing to another device.
  Channel* channel_of(const Action& action) {
    const auto s = static_cast<size_t>(action.stage);
    if (action.kind == ActionKind::kForward)
      return s + 1 < pipeline_.stages.size() && crosses(s) ? &forward_[s] : nullptr;
    if (action.kind == ActionKind::kBackwardWeight) return nullptr;
    return s > 0 && crosses(s - 1) ? &backward_[s - 1] : nullptr;
  }
  bool crosses(size_t link) const {
    return pipeline_.stages[link].device != pipeline_.stages[link + 1].device;
  }

  void push(const Frame& frame) {
    on_stack_[static_cast<size_t>(frame.device)] = static_cast<int64_t>(stack_.size());
    stack_.push_back(frame);
  }
  void pop() {
    on_stack_[static_cast<size_t>(stack_.back().device)] = -1;
    stack_.pop_back();
  }

  const PipelineCosts& pipeline_;
  const Schedule& schedule_;
  const ActionIndex& index_;
  std::vector<Channel> forward_, backward_;
  std::vector<int64_t> done_;      // by device: the number of events that have run
  std::vector<int64_t> on_stack_;  // by device: the index of its frame, or -1
  std::vector<Frame> stack_;       // each frame but the top one waits for the next one
  CheckedSchedule checked_;
};

// Fails if a device uses one of its results before it has computed the result.
Status check_own_results(const PipelineCosts& pipeline, const Schedule& schedule, const ActionIndex& index) {
  for (size_t d = 0; d < schedule.devices.size(); ++d)
    for (size_t i = 0; i < schedule.devices[d].size(); ++i) {
      const ActionIndex::Uses uses = index.uses(schedule.devices[d][i]);
      for (int u = 0; u < uses.count; ++u) {
        const ActionPosition& used = uses.actions[u];
        if (used.device == static_cast<int64_t>(d) && used.index > static_cast<int64_t>(i))
          return invalid_data(pipeline.name_of_device(used.device) + ": " + describe(schedule.devices[d][i]) +
                                  " (action " + std::to_string(i) + "), uses the result of " +
                                  describe(index.at(used)) + " (action " + std::to_string(used.index) +
                                  "), which comes later",
                              "change the order of the two actions");
      }
    }
  return {};
}

}  // namespace

Result<CheckedSchedule> check_schedule(const PipelineCosts& pipeline, const Schedule& schedule,
                                       int64_t capacity) {
  CUTSET_TRY(check_pipeline(pipeline));
  if (capacity < 1)
    return invalid_argument("the capacity of a channel is " + std::to_string(capacity) + "; it is at least 1",
                            "increase the capacity");
  CUTSET_ASSIGN(const ActionIndex index, ActionIndex::build(pipeline, schedule));
  CUTSET_TRY(check_own_results(pipeline, schedule, index));
  return Run(pipeline, schedule, index, capacity).run();
}

}  // namespace cutset
