// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/pipeline_text.h"

#include <gtest/gtest.h>

#include "graph/schedule/lines.h"
#include "ir/core/philox.h"

namespace cutset {
namespace {

constexpr const char* kGood =
    "cutset pipeline 1\n"
    "micro-batches 3 1 1 0.5\n"
    "stage 0 1 2 3\n"
    "stage 1 0.5 0.25 0.125 4 4096  # the last stage\n"
    "links 0.5 0.75\n"
    "chunks 2\n"
    "schedule 1f1b\n"
    "schedule interleaved\n";

std::string error_of(const std::string& text) {
  const auto instance = parse_pipeline(text);
  return instance.ok() ? "" : instance.error().source + " " + instance.error().what;
}

TEST(PipelineText, IsRead) {
  const auto r = parse_pipeline(kGood);
  ASSERT_TRUE(r.ok()) << r.error().text();
  ASSERT_EQ(r->pipeline.stages.size(), 2u);
  EXPECT_EQ(r->pipeline.stages[0].backward_weight, 3);
  EXPECT_EQ(r->pipeline.stages[1].device, 1);
  EXPECT_EQ(r->pipeline.stages[1].forward, 0.5);
  EXPECT_EQ(r->pipeline.stages[1].backward_input, 0.25);
  EXPECT_EQ(r->pipeline.stages[1].update, 4);
  EXPECT_EQ(r->pipeline.stages[1].stash_bytes, 4096u);
  EXPECT_EQ(r->pipeline.micro_batches, (std::vector<double>{1, 1, 0.5}));
  EXPECT_EQ(r->pipeline.links, std::vector<double>{0.5});
  EXPECT_EQ(r->wrap, 0.75);
  EXPECT_EQ(r->chunks, 2);
  EXPECT_EQ(r->schedules, (std::vector<std::string>{"1f1b", "interleaved"}));
}

TEST(PipelineText, LinksAreOneNumberOrOnePerLink) {
  const std::string head =
      "cutset pipeline 1\nmicro-batches 1\nstage 0 1 1 1\nstage 1 1 1 1\nstage 2 1 1 1\n";
  const auto none = parse_pipeline(head), all = parse_pipeline(head + "links 2"),
             each = parse_pipeline(head + "links 2 3");
  ASSERT_TRUE(none.ok() && all.ok() && each.ok());
  EXPECT_EQ(none->pipeline.links, (std::vector<double>{0, 0}));
  EXPECT_EQ(all->pipeline.links, (std::vector<double>{2, 2}));
  EXPECT_EQ(each->pipeline.links, (std::vector<double>{2, 3}));
  EXPECT_EQ(none->wrap, 0);
  EXPECT_EQ(all->wrap, 2);
  EXPECT_EQ(each->wrap, 3);
}

TEST(PipelineText, NamesTheLineAndTheColumnOfAnError) {
  const std::string head = "cutset pipeline 1\n", one = head + "micro-batches 2\nstage 0 1 1 1\n";
  EXPECT_EQ(error_of(one), "");
  EXPECT_EQ(error_of(head + "stage 0 1 1 1\n"), "pipeline:3:1 the pipeline has no micro-batch");
  EXPECT_EQ(error_of(head + "micro-batches 1\n"), "pipeline:3:1 the pipeline has no stage");
  EXPECT_EQ(
      error_of(head + "stage 0 1 1\n"),
      "pipeline:2:12 the line ends early; its form is 'stage DEVICE FORWARD BACKWARD_INPUT BACKWARD_WEIGHT "
      "[UPDATE [STASH_BYTES]]'");
  for (const char* number : {"nan", "-1", "inf", "1e99", "x", "1x", "0x1"})
    EXPECT_EQ(error_of(head + "stage 0 " + number + " 1 1\n"),
              "pipeline:2:9 FORWARD '" + std::string(number) + "' is not a number from 0 to 1000000000");
  EXPECT_EQ(error_of(one + "stage 2 1 1 1\n"),
            "pipeline:5:1 stage 1: device 2 is out of range; 2 stages have devices "
            "from 0 to 1");
  EXPECT_EQ(error_of(one + "stage 2 1 1 1\nstage 2 1 1 1\n"), "pipeline:6:1 device 1 has no stage");
  EXPECT_EQ(error_of(one + "micro-batches 2\n"), "pipeline:4:1 the text has a second line 'micro-batches'");
  EXPECT_EQ(error_of(head + "micro-batches 2 1\n"),
            "pipeline:2:17 the line has 1 sizes for 2 micro-batches; give one size per micro-batch, or none");
  EXPECT_EQ(error_of(head + "micro-batches 2 1 0\nstage 0 1 1 1\n"),
            "pipeline:4:1 micro-batch 1: the size is not a number above 0 and up to 1e9");
  EXPECT_EQ(error_of(one + "links 1 2 3\n"),
            "pipeline:5:1 the line 'links' has 3 numbers; 1 stages need one number, 0, or 1 with the way "
            "from the last device to the first one");
  EXPECT_EQ(error_of(one + "chunks 0\n"), "pipeline:4:8 COUNT '0' is not a whole number from 1 to 1048576");
  EXPECT_EQ(error_of(one + "chunks 2\nchunks 2\n"), "pipeline:5:1 the text has a second line 'chunks'");
  EXPECT_EQ(error_of(one + "links 0\nlinks 0\n"), "pipeline:5:1 the text has a second line 'links'");
  EXPECT_EQ(error_of(one + "schedule magic\n"), "pipeline:4:10 there is no schedule 'magic'");
  EXPECT_EQ(error_of(one + "schedule gpipe\nschedule gpipe\n"),
            "pipeline:5:10 schedule 'gpipe' is listed twice");
  EXPECT_EQ(error_of(one + "stages\n"),
            "pipeline:4:1 a line starts with 'stage', 'micro-batches', 'links', 'chunks' or "
            "'schedule', not with 'stages'");
  EXPECT_EQ(
      error_of(head + "micro-batches 1048576\nstage 0 1 1 1\nstage 1 1 1 1\n"),
      "pipeline:5:1 the pipeline has 2 stages and 1048576 micro-batches; their product is at most 1048576");
}

TEST(PipelineText, SurvivesMutations) {
  int read = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    PhiloxSequence random(seed, 12);
    std::string text = kGood;
    for (uint64_t n = 1 + random.below(3); n > 0 && !text.empty(); --n) {
      const size_t at = random.below(text.size()), length = random.below(12);
      switch (random.below(4)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, std::string(length, "0129 -#\n\te.n"[random.below(12)]));
          break;
        case 2:
          text.insert(at, text.substr(random.below(text.size()), 40));
          break;
        default:
          text[at] = static_cast<char>(random.below(256));
      }
    }
    const auto instance = parse_pipeline(text);
    if (!instance.ok()) {
      EXPECT_TRUE(instance.error().source.starts_with("pipeline:")) << instance.error().text();
      continue;
    }
    ++read;
    EXPECT_TRUE(check_pipeline(instance->pipeline).ok());
    if (instance->pipeline.micro_batches.size() > 1000 || instance->chunks > 1000) continue;
    for (const std::string& name : schedules_of(*instance)) (void)schedule_instance(*instance, name).ok();
  }
  EXPECT_GT(read, 300);
}

}  // namespace
}  // namespace cutset
