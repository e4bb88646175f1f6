// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/check_schedule.h"

#include <gtest/gtest.h>

#include "graph/schedule/test_pipelines.h"
#include "ir/core/philox.h"

namespace cutset {
namespace {

constexpr ActionKind kF = ActionKind::kForward, kB = ActionKind::kBackward, kI = ActionKind::kBackwardInput,
                     kW = ActionKind::kBackwardWeight;

PipelineCosts pipeline_of(int64_t stages, int64_t micro_batches) {
  return equal_stages(stages, micro_batches, 1, 1, 1).pipeline;
}

// Returns the error message, or an empty text.
std::string error_of(const PipelineCosts& pipeline, const Schedule& schedule, int64_t capacity = 1) {
  const auto checked = check_schedule(pipeline, schedule, capacity);
  return checked.ok() ? "" : checked.error().what;
}

// Runs the schedule with these capacities, independently of the checker: repeats rounds in which every device
// runs events until it is blocked. Returns whether all actions ran.
bool ends(const PipelineCosts& pipeline, const Schedule& schedule, const Channels& capacities) {
  const auto index = ActionIndex::build(pipeline, schedule);
  if (!index.ok()) return false;
  const size_t stages = pipeline.stages.size(), m = pipeline.micro_batches.size();
  std::vector<size_t> done(schedule.devices.size(), 0);
  std::vector<std::vector<int32_t>> sent[2] = {std::vector<std::vector<int32_t>>(stages),
                                               std::vector<std::vector<int32_t>>(stages)};  // by sender
  std::vector<char> forward(stages * m, 0), gradient = forward, forward_used = forward,
                                            gradient_used = forward;
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t d = 0; d < done.size(); ++d)
      for (; done[d] < 2 * schedule.devices[d].size(); ++done[d], progress = true) {
        const Action& a = schedule.devices[d][done[d] / 2];
        const size_t s = size_t(a.stage), k = size_t(a.micro_batch), cell = s * m + k;
        if (done[d] % 2 == 0) {
          if (a.kind == kF && s > 0 && !forward[cell - m]) break;
          if ((a.kind == kB || a.kind == kI) && (!forward[cell] || (s + 1 < stages && !gradient[cell + m])))
            break;
          if (a.kind == kW && !gradient[cell]) break;
          if (a.kind == kF) forward_used[cell] = 1;
          if (a.kind == kB || a.kind == kI) gradient_used[cell] = 1;
          continue;
        }
        if (a.kind == kF) {
          if (s + 1 < stages) {
            auto& list = sent[0][s];
            const size_t c = size_t(capacities.forward[s]);
            if (list.size() >= c && !forward_used[(s + 1) * m + size_t(list[list.size() - c])]) break;
            list.push_back(a.micro_batch);
          }
          forward[cell] = 1;
        } else if (a.kind != kW) {
          if (s > 0) {
            auto& list = sent[1][s];
            const size_t c = size_t(capacities.backward[s - 1]);
            if (list.size() >= c && !gradient_used[(s - 1) * m + size_t(list[list.size() - c])]) break;
            list.push_back(a.micro_batch);
          }
          gradient[cell] = 1;
        }
      }
  }
  for (size_t d = 0; d < done.size(); ++d)
    if (done[d] != 2 * schedule.devices[d].size()) return false;
  return true;
}

TEST(CheckSchedule, NamesWhatIsNotComplete) {
  const PipelineCosts one = pipeline_of(1, 2);
  EXPECT_EQ(error_of(one, {{{{kF, 0, 0}, {kF, 0, 1}, {kB, 0, 0}, {kB, 0, 1}}}}), "");
  EXPECT_EQ(error_of(one, {{{{kF, 0, 0}, {kF, 0, 1}, {kI, 0, 0}, {kB, 0, 1}, {kW, 0, 0}}}}), "");
  EXPECT_EQ(error_of(one, {{{{kF, 0, 0}, {kF, 0, 1}, {kB, 0, 0}}}}),
            "backward of stage 0, micro-batch 1, is missing on device 0");
  EXPECT_EQ(error_of(one, {{{{kF, 0, 0}, {kB, 0, 1}, {kB, 0, 0}}}}),
            "forward of stage 0, micro-batch 1, is missing on device 0");
  EXPECT_EQ(error_of(one, {{{{kF, 0, 0}, {kF, 0, 1}, {kB, 0, 0}, {kI, 0, 1}}}}),
            "backward_weight of stage 0, micro-batch 1, is missing on device 0");
  EXPECT_EQ(error_of(one, {{{{kF, 0, 0}, {kF, 0, 1}, {kB, 0, 0}, {kW, 0, 1}}}}),
            "backward_input of stage 0, micro-batch 1, is missing on device 0");
  EXPECT_EQ(error_of(one, {{{{kF, 0, 0}, {kF, 0, 1}, {kB, 0, 0}, {kB, 0, 1}, {kW, 0, 1}}}}),
            "device 0: backward_weight of stage 0, micro-batch 1, is listed beside backward of stage 0, "
            "micro-batch 1, which "
            "contains it");
  EXPECT_EQ(error_of(one, {{{{kF, 0, 0}, {kF, 0, 1}, {kB, 0, 0}, {kI, 0, 0}}}}),
            "device 0, action 3: backward_input of stage 0, micro-batch 0, comes after action 2, backward of "
            "stage 0, micro-batch 0, which computes the same");
  EXPECT_EQ(error_of(one, {{{{kF, 1, 0}}}}),
            "device 0, action 0: stage 1 is out of range; the pipeline has 1 stages");
  EXPECT_EQ(error_of(one, {{{{kF, 0, -1}}}}),
            "device 0, action 0: micro-batch -1 is out of range; the pipeline has 2 micro-batches");
  EXPECT_EQ(error_of(pipeline_of(2, 1), {{{{kF, 0, 0}, {kF, 1, 0}, {kB, 1, 0}, {kB, 0, 0}}, {}}}),
            "device 0, action 1: forward of stage 1, micro-batch 0, is listed, but the stage is on device 1");
  EXPECT_EQ(error_of(one, {}), "the schedule has 0 devices; the pipeline has 1");
  EXPECT_NE(error_of(one, {{{{kF, 0, 0}}}}, 0), "");
}

TEST(CheckSchedule, NamesAUseBeforeTheValueExists) {
  EXPECT_EQ(error_of(pipeline_of(1, 1), {{{{kB, 0, 0}, {kF, 0, 0}}}}),
            "device 0: backward of stage 0, micro-batch 0 (action 0), uses the result of forward of stage 0, "
            "micro-batch 0 (action 1), which comes later");
  EXPECT_NE(error_of(pipeline_of(1, 1), {{{{kF, 0, 0}, {kW, 0, 0}, {kI, 0, 0}}}}), "");
  // Two stages of one device.
  PipelineCosts both = pipeline_of(2, 1);
  both.stages[1].device = 0;
  EXPECT_EQ(error_of(both, {{{{kF, 0, 0}, {kF, 1, 0}, {kB, 1, 0}, {kB, 0, 0}}}}), "");
  EXPECT_NE(error_of(both, {{{{kF, 1, 0}, {kF, 0, 0}, {kB, 1, 0}, {kB, 0, 0}}}}).find("comes later"),
            std::string::npos);
  EXPECT_NE(error_of(both, {{{{kF, 0, 0}, {kF, 1, 0}, {kB, 0, 0}, {kB, 1, 0}}}}).find("comes later"),
            std::string::npos);
}

TEST(CheckSchedule, NamesActionsThatWaitForEachOther) {
  const PipelineCosts two = pipeline_of(2, 2);
  // Stage 0 wants the gradient of micro-batch 0 before it starts micro-batch 1, which stage 1 wants first.
  EXPECT_EQ(error_of(two, {{{{kF, 0, 0}, {kB, 0, 0}, {kF, 0, 1}, {kB, 0, 1}},
                            {{kF, 1, 1}, {kB, 1, 1}, {kF, 1, 0}, {kB, 1, 0}}}}),
            "actions wait for each other: device 0 cannot run backward of stage 0, micro-batch 0 (action 1), "
            "before device 1 has run backward of stage 1, micro-batch 0 (action 3), and device 1 cannot run "
            "forward of stage 1, micro-batch 1 (action 0), before device 0 has run forward of stage 0, "
            "micro-batch 1 (action 2)");
  // The actions wait for each other at any capacity.
  EXPECT_NE(error_of(two,
                     {{{{kF, 0, 0}, {kB, 0, 0}, {kF, 0, 1}, {kB, 0, 1}},
                       {{kF, 1, 1}, {kB, 1, 1}, {kF, 1, 0}, {kB, 1, 0}}}},
                     100),
            "");
}

// Cycles are planted in generated schedules: two actions of a device that depend on each other through other
// devices change places.
TEST(CheckSchedule, FindsPlantedCycles) {
  int planted = 0;
  for (const ScheduleGenerator& g : schedule_generators())
    for (uint64_t seed = 0; seed < 200; ++seed) {
      PhiloxSequence random(seed, 3);
      const int64_t p = 2 + int64_t(random.below(4)), m = 2 + int64_t(random.below(6));
      const auto made = schedule_instance(equal_stages(p, m, 1, 1, 1, 0, g.least_chunks), g.name);
      ASSERT_TRUE(made.ok());
      Schedule schedule = made->schedule;
      auto& list = schedule.devices[random.below(uint64_t(p))];
      const size_t a = random.below(list.size()), b = random.below(list.size());
      std::swap(list[a], list[b]);
      Channels most;
      most.forward.assign(made->pipeline.links.size(), m);
      most.backward = most.forward;
      // Whether the edited schedule ends if no channel is ever full.
      const bool good = ends(made->pipeline, schedule, most);
      const auto checked = check_schedule(made->pipeline, schedule);
      ASSERT_EQ(checked.ok(), good) << g.name << ", seed " << seed << (good ? checked.error().text() : "");
      planted += !good;
      if (good) {
        EXPECT_TRUE(ends(made->pipeline, schedule, checked->capacities)) << g.name << ", seed " << seed;
      }
    }
  EXPECT_GT(planted, 200);
}

// Stage 1 receives the micro-batches in another order than stage 0 sends them, so the channel must hold them
// all.
TEST(CheckSchedule, RaisesTheCapacityOfAChannelThatClosesACycle) {
  for (const int32_t m : {2, 5, 9}) {
    Schedule schedule;
    schedule.devices.resize(2);
    for (int32_t k = 0; k < m; ++k) schedule.devices[0].push_back({kF, 0, k});
    for (int32_t k = m; k-- > 0;) schedule.devices[1].push_back({kF, 1, k});
    for (int32_t k = 0; k < m; ++k) {
      schedule.devices[0].push_back({kB, 0, k});
      schedule.devices[1].push_back({kB, 1, k});
    }
    const PipelineCosts pipeline = pipeline_of(2, m);
    const auto checked = check_schedule(pipeline, schedule);
    ASSERT_TRUE(checked.ok()) << checked.error().text();
    EXPECT_EQ(checked->capacities.forward, std::vector<int64_t>{m});
    EXPECT_EQ(checked->capacities.backward, std::vector<int64_t>{1});
    EXPECT_TRUE(ends(pipeline, schedule, checked->capacities));
    Channels less = checked->capacities;
    --less.forward[0];
    EXPECT_FALSE(ends(pipeline, schedule, less));
    const auto given = check_schedule(pipeline, schedule, m + 3);
    ASSERT_TRUE(given.ok());
    EXPECT_EQ(given->capacities.forward, std::vector<int64_t>{m + 3});
  }
}

// Stage 0 runs all forward actions first, and stage 1 sends each gradient at once. One of the two channels
// must hold more than one message, but the other channel need not.
TEST(CheckSchedule, RaisesOneChannelOfACycleOfTwo) {
  const int32_t m = 6;
  Schedule schedule;
  schedule.devices.resize(2);
  for (const ActionKind kind : {kF, kB})
    for (int32_t k = 0; k < m; ++k) schedule.devices[0].push_back({kind, 0, k});
  for (int32_t k = 0; k < m; ++k) {
    schedule.devices[1].push_back({kF, 1, k});
    schedule.devices[1].push_back({kB, 1, k});
  }
  const PipelineCosts pipeline = pipeline_of(2, m);
  EXPECT_FALSE(ends(pipeline, schedule, {{1}, {1}}));
  const auto checked = check_schedule(pipeline, schedule);
  ASSERT_TRUE(checked.ok()) << checked.error().text();
  EXPECT_EQ(std::min(checked->capacities.forward[0], checked->capacities.backward[0]), 1);
  EXPECT_TRUE(ends(pipeline, schedule, checked->capacities));
}

// The order lists every action once, after the actions whose results it uses.
TEST(CheckSchedule, ReturnsAnOrderThatRespectsAllUses) {
  const auto made = schedule_instance(equal_stages(4, 9, 1, 1, 1, 0, 3), "interleaved");
  ASSERT_TRUE(made.ok());
  const auto checked = check_schedule(made->pipeline, made->schedule);
  const auto index = ActionIndex::build(made->pipeline, made->schedule);
  ASSERT_TRUE(checked.ok() && index.ok());
  std::vector<int64_t> next(made->schedule.devices.size(), 0);
  for (const ActionPosition& p : checked->order) {
    EXPECT_EQ(p.index, next[size_t(p.device)]++);
    const ActionIndex::Uses uses = index->uses(index->at(p));
    for (int u = 0; u < uses.count; ++u)
      EXPECT_LT(uses.actions[u].index, next[size_t(uses.actions[u].device)]);
  }
  for (size_t d = 0; d < next.size(); ++d) EXPECT_EQ(next[d], int64_t(made->schedule.devices[d].size()));
}

// The work per action stays the same from 1,000 to 100,000 actions, whether or not capacities are raised.
TEST(CheckSchedule, NeedsLinearWork) {
  for (const auto& [p, m, v] :
       {std::tuple(8, 6250, 1), std::tuple(8, 2084, 3), std::tuple(500, 100, 1), std::tuple(2, 25000, 1)})
    for (const ScheduleGenerator& g : schedule_generators()) {
      if (v < g.least_chunks || v > g.most_chunks) continue;
      const auto made = schedule_instance(equal_stages(p, m, 1, 1, 1, 0, v), g.name);
      ASSERT_TRUE(made.ok());
      EXPECT_GE(made->schedule.actions(), 100'000u);
      const auto checked = check_schedule(made->pipeline, made->schedule);
      ASSERT_TRUE(checked.ok());
      EXPECT_LE(checked->work, 5 * made->schedule.actions()) << g.name << " on " << p << " devices";
    }
  // In `reverse`, the receiver takes the messages in reverse order, so the capacity of one channel is raised
  // 25,000 times. In `turns`, the capacities of two channels are raised in turn.
  const int32_t m = 25'000;
  Schedule reverse, turns;
  reverse.devices.resize(2);
  turns.devices.resize(2);
  for (int32_t k = 0; k < m; ++k) {
    reverse.devices[0].push_back({kF, 0, k});
    reverse.devices[1].push_back({kF, 1, m - 1 - k});
    turns.devices[0].push_back({kF, 0, k});
    turns.devices[1].push_back({kF, 1, k});
    turns.devices[1].push_back({kB, 1, k});
  }
  for (int32_t k = 0; k < m; ++k) {
    reverse.devices[0].push_back({kB, 0, k});
    reverse.devices[1].push_back({kB, 1, k});
    turns.devices[0].push_back({kB, 0, k});
  }
  for (const Schedule& schedule : {reverse, turns}) {
    const auto checked = check_schedule(pipeline_of(2, m), schedule);
    ASSERT_TRUE(checked.ok()) << checked.error().text();
    EXPECT_GT(checked->capacities.forward[0] + checked->capacities.backward[0], m / 2);
    EXPECT_LE(checked->work, 8 * schedule.actions());
  }
}

}  // namespace
}  // namespace cutset
