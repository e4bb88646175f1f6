// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/simulate.h"

#include <algorithm>
#include <cmath>

namespace cutset {
namespace {

double seconds_of(const Stage& stage, ActionKind kind) {
  switch (kind) {
    case ActionKind::kForward:
      return stage.forward;
    case ActionKind::kBackward:
      return stage.backward_input + stage.backward_weight;
    case ActionKind::kBackwardInput:
      return stage.backward_input;
    case ActionKind::kBackwardWeight:
      return stage.backward_weight;
  }
  return 0;
}

// A message between two stages: the end of the action that sends it and the start of the action that uses it.
struct Message {
  double sent = 0, used = 0;
};

// Returns the largest number of slots that messages take at the same time. A message takes a slot from the
// moment at which it is sent until it is used. If it is used at the moment at which another message is sent,
// it has left its slot. A message that is used at the moment at which it is sent itself takes a slot, too.
// The messages are in the order in which they are sent.
int64_t slots_of(const std::vector<Message>& messages) {
  std::vector<double> used;
  for (const Message& message : messages) used.push_back(message.used);
  std::sort(used.begin(), used.end());
  int64_t slots = 0, sent = 0;
  auto left = used.begin();
  for (const Message& message : messages) {
    while (left != used.end() && *left <= message.sent) ++left;
    const int64_t own = message.used <= message.sent ? 1 : 0;
    slots = std::max(slots, ++sent - (left - used.begin()) + own);
  }
  return slots;
}

class Simulator {
 public:
  Simulator(const PipelineCosts& pipeline, const Schedule& schedule)
      : pipeline_(pipeline),
        schedule_(schedule),
        micro_batches_(pipeline.micro_batches.size()),
        forward_(pipeline.stages.size() * micro_batches_),
        gradient_(forward_),
        alive_(pipeline.stages.size(), 0),
        input_alive_(alive_) {}

  Simulation run(const std::vector<ActionPosition>& order) {
    set_times(order);
    result_.stages.resize(pipeline_.stages.size());
    for (size_t d = 0; d < schedule_.devices.size(); ++d) set_frames(d);
    set_memory();
    set_slots();
    set_costs();
    return std::move(result_);
  }

 private:
  size_t cell(int64_t stage, int64_t micro_batch) const {
    return static_cast<size_t>(stage) * micro_batches_ + static_cast<size_t>(micro_batch);
  }

  void set_times(const std::vector<ActionPosition>& order) {
    for (const auto& list : schedule_.devices) result_.times.emplace_back(list.size());
    std::vector<double> free(schedule_.devices.size(), 0);
    for (const ActionPosition& p : order) {
      const auto d = static_cast<size_t>(p.device), i = static_cast<size_t>(p.index);
      const Action& a = schedule_.devices[d][i];
      double start = free[d];
      if (a.kind == ActionKind::kForward && a.stage > 0)
        start = std::max(start, forward_[cell(a.stage - 1, a.micro_batch)].end + link(a.stage - 1));
      const bool last = static_cast<size_t>(a.stage) + 1 == pipeline_.stages.size();
      if ((a.kind == ActionKind::kBackward || a.kind == ActionKind::kBackwardInput) && !last)
        start = std::max(start, gradient_[cell(a.stage + 1, a.micro_batch)].end + link(a.stage));
      const double end = start + seconds_of(pipeline_.stages[static_cast<size_t>(a.stage)], a.kind) *
                                     pipeline_.micro_batches[static_cast<size_t>(a.micro_batch)];
      if (a.kind == ActionKind::kForward)
        forward_[cell(a.stage, a.micro_batch)] = {start, end};
      else if (a.kind != ActionKind::kBackwardWeight)
        gradient_[cell(a.stage, a.micro_batch)] = {start, end};
      result_.times[d][i] = {start, end};
      free[d] = end;
    }
  }
  // Whether stages `first` and `first` + 1 are on different devices.
  bool crosses(int64_t first) const {
    const auto s = static_cast<size_t>(first);
    return pipeline_.stages[s].device != pipeline_.stages[s + 1].device;
  }
  // Returns the seconds of a transfer between these stages. Stages of one device need none.
  double link(int64_t first) const {
    return crosses(first) ? pipeline_.links[static_cast<size_t>(first)] : 0;
  }

  // Counts the frames of a device. All actions of a stage are on one device, so their order decides.
  void set_frames(size_t d) {
    DeviceUse use;
    int64_t live = 0;
    for (size_t i = 0; i < schedule_.devices[d].size(); ++i) {
      const Action& a = schedule_.devices[d][i];
      const auto s = static_cast<size_t>(a.stage);
      StageUse& stage = result_.stages[s];
      if (a.kind == ActionKind::kForward) {
        stage.frames = std::max(stage.frames, ++alive_[s]);
        stage.input_frames = std::max(stage.input_frames, ++input_alive_[s]);
        use.live = std::max(use.live, ++live);
      }
      if (a.kind == ActionKind::kBackward || a.kind == ActionKind::kBackwardInput) --input_alive_[s];
      if (a.kind == ActionKind::kBackward || a.kind == ActionKind::kBackwardWeight) {
        --alive_[s];
        --live;
      }
      const ActionTime& t = result_.times[d][i];
      if (i == 0) use.first = t.start;
      use.busy += t.end - t.start;
      use.last = t.end;
    }
    result_.devices.push_back(use);
  }

  void set_memory() {
    const double size = pipeline_.largest_micro_batch();
    for (size_t s = 0; s < pipeline_.stages.size(); ++s) {
      StageUse& use = result_.stages[s];
      const Stage& stage = pipeline_.stages[s];
      use.stash_bytes =
          static_cast<double>(use.frames) * std::ceil(static_cast<double>(stage.stash_bytes) * size);
      DeviceUse& device = result_.devices[static_cast<size_t>(stage.device)];
      device.frames += use.frames;
      device.stash_bytes += use.stash_bytes;
    }
  }

  void set_slots() {
    std::vector<std::vector<Message>> ahead(pipeline_.stages.size()),
        back = ahead;  // by the stage that receives
    for (const std::vector<Action>& list : schedule_.devices)
      for (const Action& a : list) {
        const bool forward = a.kind == ActionKind::kForward;
        const int64_t to = forward ? a.stage + 1 : a.stage - 1;
        if (a.kind == ActionKind::kBackwardWeight || to < 0 ||
            to == static_cast<int64_t>(pipeline_.stages.size()) || !crosses(std::min<int64_t>(a.stage, to)))
          continue;
        const std::vector<ActionTime>& times = forward ? forward_ : gradient_;
        (forward ? ahead : back)[static_cast<size_t>(to)].push_back(
            {times[cell(a.stage, a.micro_batch)].end, times[cell(to, a.micro_batch)].start});
      }
    for (size_t s = 0; s < pipeline_.stages.size(); ++s) {
      result_.stages[s].forward_slots = slots_of(ahead[s]);
      result_.stages[s].backward_slots = slots_of(back[s]);
    }
  }

  void set_costs() {
    std::vector<double> updates(schedule_.devices.size(), 0);
    for (const Stage& s : pipeline_.stages) updates[static_cast<size_t>(s.device)] += s.update;
    for (const DeviceUse& d : result_.devices) {
      result_.makespan = std::max(result_.makespan, d.last);
      result_.longest_span = std::max(result_.longest_span, d.last - d.first);
    }
    result_.step = result_.makespan + *std::max_element(updates.begin(), updates.end());
  }

  const PipelineCosts& pipeline_;
  const Schedule& schedule_;
  size_t micro_batches_;
  std::vector<ActionTime> forward_,
      gradient_;  // by cell: the times of forward, and of backward or its input part
  std::vector<int64_t> alive_, input_alive_;  // by stage, up to the action that is being counted
  Simulation result_;
};

}  // namespace

double Simulation::bubble(double cost) const {
  double busy = 0;
  for (const DeviceUse& d : devices) busy += d.busy;
  return cost > 0 ? 1 - busy / (cost * static_cast<double>(devices.size())) : 0;
}

Simulation simulate(const PipelineCosts& pipeline, const Schedule& schedule,
                    const std::vector<ActionPosition>& order) {
  return Simulator(pipeline, schedule).run(order);
}

}  // namespace cutset
