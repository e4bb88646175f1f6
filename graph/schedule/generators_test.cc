// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/generators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "graph/schedule/test_pipelines.h"

namespace cutset {
namespace {

// Returns the shapes of a sweep: fewer micro-batches than devices, and numbers that the devices do not
// divide.
std::vector<ScheduleShape> shapes(const ScheduleGenerator& generator) {
  std::vector<ScheduleShape> list;
  for (int64_t p = 1; p <= 7; ++p)
    for (int64_t m = 1; m <= 17; ++m)
      for (int64_t v = generator.least_chunks; v <= std::min<int64_t>(4, generator.most_chunks); ++v)
        list.push_back({p, m, v});
  return list;
}

TEST(ScheduleGenerators, AreSortedByUniqueNames) {
  EXPECT_GE(schedule_generators().size(), 4u);
  for (size_t i = 0; i < schedule_generators().size(); ++i) {
    const ScheduleGenerator& g = schedule_generators()[i];
    EXPECT_EQ(find_schedule_generator(g.name), &g);
    EXPECT_FALSE(g.summary.empty());
    if (i > 0) {
      EXPECT_LT(schedule_generators()[i - 1].name, g.name);
    }
  }
  EXPECT_EQ(find_schedule_generator("magic"), nullptr);
}

// The counts are made here, and not with the checker, so that an error of the checker cannot hide.
TEST(ScheduleGenerators, RunEachActionOnceAndInAscendingOrder) {
  for (const ScheduleGenerator& g : schedule_generators())
    for (const ScheduleShape& shape : shapes(g)) {
      const auto schedule = generate_schedule(g.name, shape);
      ASSERT_TRUE(schedule.ok()) << g.name;
      ASSERT_EQ(int64_t(schedule->devices.size()), shape.devices);
      std::map<std::pair<int32_t, ActionKind>, std::vector<int32_t>> runs;
      for (size_t d = 0; d < schedule->devices.size(); ++d)
        for (const Action& a : schedule->devices[d]) {
          ASSERT_EQ(a.stage % shape.devices, int64_t(d)) << g.name;
          runs[{a.stage, a.kind}].push_back(a.micro_batch);
        }
      std::vector<int32_t> ascending;
      for (int32_t k = 0; k < shape.micro_batches; ++k) ascending.push_back(k);
      for (int32_t s = 0; s < shape.devices * shape.chunks; ++s) {
        const bool divided = runs.count({s, ActionKind::kBackwardInput}) > 0;
        EXPECT_EQ(divided, runs.count({0, ActionKind::kBackwardInput}) > 0) << g.name;
        EXPECT_EQ(runs.count({s, ActionKind::kBackward}) > 0, !divided);
        EXPECT_EQ(runs.count({s, ActionKind::kBackwardWeight}) > 0, divided);
        EXPECT_EQ(runs.count({s, ActionKind::kForward}), 1u);
      }
      for (const auto& [what, micro_batches] : runs) {
        EXPECT_EQ(micro_batches, ascending)
            << g.name << ": " << name_of(what.second) << " of stage " << what.first;
        EXPECT_LT(what.first, shape.devices * shape.chunks);
      }
    }
}

// Equal, unequal and zero times, and unequal micro-batches: every schedule ends, and no action starts before
// the actions whose results it uses have ended and the result has arrived.
TEST(ScheduleGenerators, EndWithUnequalTimes) {
  for (const ScheduleGenerator& g : schedule_generators())
    for (const ScheduleShape& shape : shapes(g)) {
      PipelineInstance instance =
          equal_stages(shape.devices, shape.micro_batches, 1, 1, 1, 0.125, shape.chunks);
      for (size_t s = 0; s < instance.pipeline.stages.size(); ++s) {
        instance.pipeline.stages[s].forward = double(s % 3);
        instance.pipeline.stages[s].backward_weight = 0.5 * double(s % 2);
      }
      for (size_t k = 0; k < instance.pipeline.micro_batches.size(); ++k)
        instance.pipeline.micro_batches[k] = 1 + 0.25 * double(k % 3);
      const Simulated r = run_schedule(instance, g.name);
      ASSERT_EQ(r.checked.order.size(), r.schedule.actions());
      std::map<std::tuple<int, int, int>, double> ends;  // by stage, micro-batch and direction
      for (size_t d = 0; d < r.schedule.devices.size(); ++d)
        for (size_t i = 0; i < r.schedule.devices[d].size(); ++i) {
          const Action& a = r.schedule.devices[d][i];
          if (a.kind != ActionKind::kBackwardWeight)
            ends[{a.stage, a.micro_batch, a.kind == ActionKind::kForward}] = r.simulation.times[d][i].end;
        }
      for (size_t d = 0; d < r.schedule.devices.size(); ++d)
        for (size_t i = 0; i < r.schedule.devices[d].size(); ++i) {
          const Action& a = r.schedule.devices[d][i];
          const ActionTime& t = r.simulation.times[d][i];
          const bool forward = a.kind == ActionKind::kForward, weight = a.kind == ActionKind::kBackwardWeight;
          const double wait = shape.devices > 1 ? 0.125 : 0;
          ASSERT_GE(t.end, t.start);
          ASSERT_GE(t.start, i == 0 ? 0 : r.simulation.times[d][i - 1].end);
          if (!forward) {
            ASSERT_GE(t.start, (ends[{a.stage, a.micro_batch, !weight}]));
          }
          const int32_t from = forward ? a.stage - 1 : a.stage + 1;
          if (!weight && from >= 0 && from < shape.devices * shape.chunks) {
            ASSERT_GE(t.start, (ends[{from, a.micro_batch, forward}]) + wait) << g.name;
          }
        }
    }
}

TEST(ScheduleGenerators, RefuseWrongShapes) {
  const int64_t most = kScheduleCells;
  for (const ScheduleGenerator& g : schedule_generators())
    for (const ScheduleShape& shape :
         {ScheduleShape{0, 1, 2}, ScheduleShape{1, 0, 2}, ScheduleShape{1, 1, 0}, ScheduleShape{-1, 1, 2},
          ScheduleShape{most, 2, 2}, ScheduleShape{most, most, most}, ScheduleShape{INT64_MAX, INT64_MAX, 1},
          ScheduleShape{2, 2, INT64_MAX}, ScheduleShape{1 << 12, 1 << 12, 2}})
      EXPECT_FALSE(generate_schedule(g.name, shape).ok()) << g.name << " " << shape.devices;
  const auto unknown = generate_schedule("gpip", {1, 1, 1});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().text(),
            "there is no schedule 'gpip' (the schedules are 1f1b, gpipe, interleaved, zb-h1)");
  EXPECT_FALSE(generate_schedule("gpipe", {2, 2, 2}).ok());
}

}  // namespace
}  // namespace cutset
