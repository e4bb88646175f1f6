// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/simulate.h"

#include <gtest/gtest.h>

#include "graph/schedule/test_pipelines.h"

namespace cutset {
namespace {

constexpr ActionKind kF = ActionKind::kForward, kB = ActionKind::kBackward;

// Two stages and two micro-batches of sizes 1 and 2, computed by hand.
TEST(Simulate, FollowsTheModel) {
  PipelineCosts pipeline;
  pipeline.stages = {{0, 1, 1, 1, 5, 100}, {1, 2, 2, 1, 7, 10}};
  pipeline.links = {0.5};
  pipeline.micro_batches = {1, 2};
  const Schedule schedule{
      {{{kF, 0, 0}, {kF, 0, 1}, {kB, 0, 0}, {kB, 0, 1}}, {{kF, 1, 0}, {kB, 1, 0}, {kF, 1, 1}, {kB, 1, 1}}}};
  const auto checked = check_schedule(pipeline, schedule);
  ASSERT_TRUE(checked.ok()) << checked.error().text();
  const Simulation s = simulate(pipeline, schedule, checked->order);
  const double starts[2][4] = {{0, 1, 7, 17}, {1.5, 3.5, 6.5, 10.5}},
               ends[2][4] = {{1, 3, 9, 21}, {3.5, 6.5, 10.5, 16.5}};
  for (size_t d = 0; d < 2; ++d)
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_DOUBLE_EQ(s.times[d][i].start, starts[d][i]) << d << " " << i;
      EXPECT_DOUBLE_EQ(s.times[d][i].end, ends[d][i]) << d << " " << i;
    }
  EXPECT_DOUBLE_EQ(s.makespan, 21);
  EXPECT_DOUBLE_EQ(s.longest_span, 21);
  EXPECT_DOUBLE_EQ(s.step, 28);
  EXPECT_DOUBLE_EQ(s.devices[0].busy, 9);
  EXPECT_DOUBLE_EQ(s.devices[1].busy, 15);
  EXPECT_DOUBLE_EQ(s.devices[1].first, 1.5);
  EXPECT_DOUBLE_EQ(s.devices[1].last, 16.5);
  EXPECT_DOUBLE_EQ(s.bubble(s.makespan), 1 - 24.0 / 42);
  EXPECT_EQ(s.stages[0].frames, 2);
  EXPECT_EQ(s.stages[1].frames, 1);
  // Every frame fits the micro-batch of size 2.
  EXPECT_DOUBLE_EQ(s.devices[0].stash_bytes, 400);
  EXPECT_DOUBLE_EQ(s.devices[1].stash_bytes, 20);
  EXPECT_EQ(s.stages[1].forward_slots, 1);
  EXPECT_EQ(s.stages[0].backward_slots, 1);
  EXPECT_EQ(s.stages[0].forward_slots, 0);
  EXPECT_EQ(s.stages[1].backward_slots, 0);
}

// The makespan begins with the step, and a span with the first action of a device.
TEST(Simulate, TellsTheMakespanFromTheLongestSpan) {
  const Simulated r = run_schedule(equal_stages(2, 2, 1, 0.8, 1.2), "zb-h1");
  EXPECT_GT(r.simulation.makespan, r.simulation.longest_span + 0.1);
}

// A fast sender fills the slots of a slow receiver. Messages that arrive when they are used need one slot.
TEST(Simulate, CountsReceiveSlots) {
  PipelineInstance instance = equal_stages(2, 6, 1, 1, 0);
  EXPECT_EQ(run_schedule(instance, "gpipe").simulation.stages[1].forward_slots, 1);
  instance.pipeline.stages[1].forward = 100;
  // The first micro-batch is in use when the other five have been sent.
  EXPECT_EQ(run_schedule(instance, "gpipe").simulation.stages[1].forward_slots, 5);
  instance.pipeline.links = {50};
  EXPECT_EQ(run_schedule(instance, "gpipe").simulation.stages[1].forward_slots, 6);
}

TEST(Simulate, TakesTimesOfZero) {
  const Simulated r = run_schedule(equal_stages(3, 4, 0, 0, 0), "1f1b");
  EXPECT_EQ(r.simulation.makespan, 0);
  EXPECT_EQ(r.makespan_bubble(), 0);
}

// Stages of one device exchange their values without a link.
TEST(Simulate, NeedsNoLinkInsideADevice) {
  PipelineCosts pipeline = equal_stages(2, 1, 1, 1, 0, 100).pipeline;
  pipeline.stages[1].device = 0;
  const Schedule schedule{{{{kF, 0, 0}, {kF, 1, 0}, {kB, 1, 0}, {kB, 0, 0}}}};
  const auto checked = check_schedule(pipeline, schedule);
  ASSERT_TRUE(checked.ok()) << checked.error().text();
  const Simulation s = simulate(pipeline, schedule, checked->order);
  EXPECT_DOUBLE_EQ(s.makespan, 4);
  EXPECT_EQ(s.devices[0].live, 2);
  EXPECT_EQ(s.devices[0].frames, 2);
  EXPECT_EQ(s.stages[1].forward_slots, 0);
  EXPECT_EQ(checked->capacities.forward, std::vector<int64_t>{0});
}

}  // namespace
}  // namespace cutset
