// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/instance.h"

#include <gtest/gtest.h>

#include "graph/schedule/generators.h"
#include "graph/schedule/test_pipelines.h"

namespace cutset {
namespace {

using Names = std::vector<std::string>;

TEST(PipelineInstance, HasTheSchedulesThatFitIt) {
  PipelineInstance instance = equal_stages(2, 4, 1, 1, 1);
  EXPECT_EQ(schedules_of(instance), (Names{"1f1b", "gpipe", "zb-h1"}));
  instance.chunks = 2;
  EXPECT_EQ(schedules_of(instance), (Names{"1f1b", "gpipe", "interleaved", "zb-h1"}));
  instance.schedules = {"gpipe"};
  EXPECT_EQ(schedules_of(instance), Names{"gpipe"});
  // Chunks that are listed as stages.
  PipelineInstance listed = equal_stages(4, 4, 1, 1, 1);
  listed.pipeline.stages[2].device = 0;
  listed.pipeline.stages[3].device = 1;
  EXPECT_EQ(schedules_of(listed), Names{"interleaved"});
  EXPECT_TRUE(schedule_instance(listed, "interleaved").ok());
  EXPECT_FALSE(schedule_instance(listed, "1f1b").ok());
}

// Together, the chunks of a stage have the work of the stage. Each chunk has an equal part of the stash of
// the stage.
TEST(PipelineInstance, DividesStagesIntoEqualChunks) {
  PipelineInstance instance = equal_stages(2, 4, 1, 2, 4, 0.5, 3);
  instance.wrap = 7;
  const auto made = schedule_instance(instance, "interleaved");
  ASSERT_TRUE(made.ok()) << made.error().text();
  ASSERT_EQ(made->pipeline.stages.size(), 6u);
  double seconds = 0;
  for (size_t s = 0; s < 6; ++s) {
    const Stage& stage = made->pipeline.stages[s];
    EXPECT_EQ(stage.device, int64_t(s % 2));
    EXPECT_EQ(stage.stash_bytes, 334u);
    seconds += stage.forward + stage.backward_input + stage.backward_weight;
  }
  EXPECT_NEAR(seconds, 14, 1e-12);
  EXPECT_EQ(made->pipeline.links, (std::vector<double>{0.5, 7, 0.5, 7, 0.5}));
  const auto undivided = schedule_instance(instance, "1f1b");
  ASSERT_TRUE(undivided.ok());
  EXPECT_EQ(undivided->pipeline.stages.size(), 2u);
}

TEST(PipelineInstance, RefusesSchedulesThatDoNotFit) {
  const auto one = schedule_instance(equal_stages(2, 4, 1, 1, 1), "interleaved");
  ASSERT_FALSE(one.ok());
  EXPECT_EQ(one.error().code, ErrorCode::kInvalidData);
  EXPECT_EQ(one.error().text(),
            "schedule 'interleaved' needs several stages per device; the instance has one (add a line "
            "'chunks 2' to the "
            "instance)");
  PipelineInstance two = equal_stages(2, 4, 1, 1, 1);
  two.pipeline.stages[1].device = 0;
  const auto several = schedule_instance(two, "1f1b");
  ASSERT_FALSE(several.ok());
  EXPECT_EQ(several.error().what, "schedule '1f1b' takes one stage per device; the instance has 2");
}

TEST(PipelineInstance, RefusesStagesOnOtherDevices) {
  PipelineInstance instance = equal_stages(3, 4, 1, 1, 1);
  instance.pipeline.stages[0].device = 1;
  instance.pipeline.stages[1].device = 0;
  const auto made = schedule_instance(instance, "gpipe");
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().what.find("stage 0 is on device 1"), std::string::npos) << made.error().text();
  instance.pipeline.stages[0].device = 0;
  instance.pipeline.stages[1].device = 1;
  instance.pipeline.stages[2].device = 0;
  EXPECT_FALSE(schedule_instance(instance, "interleaved").ok());
  instance.pipeline.stages[2].device = 2;
  instance.chunks = int64_t{1} << 40;
  EXPECT_FALSE(schedule_instance(instance, "interleaved").ok());
}

}  // namespace
}  // namespace cutset
