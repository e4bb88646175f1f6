// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/schedule_text.h"

#include <gtest/gtest.h>

#include "graph/schedule/lines.h"
#include "graph/schedule/test_pipelines.h"
#include "ir/core/philox.h"

namespace cutset {
namespace {

std::string error_of(const std::string& text) {
  const auto schedule = parse_schedule(text);
  return schedule.ok() ? "" : schedule.error().source + " " + schedule.error().what;
}

TEST(ScheduleText, IsReadAsItIsWritten) {
  for (const ScheduleGenerator& g : schedule_generators())
    for (const int64_t m : {1, 3, 8}) {
      const auto schedule = generate_schedule(g.name, {3, m, g.least_chunks});
      ASSERT_TRUE(schedule.ok());
      const auto again = parse_schedule(schedule_text(*schedule));
      ASSERT_TRUE(again.ok()) << again.error().text();
      EXPECT_EQ(*again, *schedule);
    }
}

TEST(ScheduleText, TakesCommentsAndBlanks) {
  const auto schedule =
      parse_schedule("# by hand\r\n\n cutset\tschedule 1 \ndevice 0 # first\n  forward 0 12\ndevice 1");
  ASSERT_TRUE(schedule.ok()) << schedule.error().text();
  EXPECT_EQ(*schedule, (Schedule{{{{ActionKind::kForward, 0, 12}}, {}}}));
}

TEST(ScheduleText, NamesTheLineAndTheColumnOfAnError) {
  const std::string head = "cutset schedule 1\ndevice 0\n";
  EXPECT_EQ(error_of(""), "schedule:1:1 the schedule is empty; its first line must be 'cutset schedule 1'");
  EXPECT_EQ(error_of("cutset pipeline 1\n"),
            "schedule:1:1 this is not a schedule: its first line is 'cutset'..., not 'cutset schedule 1'");
  EXPECT_EQ(error_of("cutset schedule 2\n"), "schedule:1:17 version '2' is not known; use version 1");
  EXPECT_EQ(error_of("cutset schedule 1\n"), "schedule:2:1 the text ends without a line 'device 0'");
  EXPECT_EQ(error_of("cutset schedule 1\nforward 0 0\n"),
            "schedule:2:1 an action is listed before the first line 'device 0'");
  EXPECT_EQ(
      error_of(head + "device 2\n"),
      "schedule:3:8 device 2 is listed where device 1 is expected; the devices are listed in their order");
  EXPECT_EQ(error_of(head + "forward 0\n"),
            "schedule:3:10 the line ends early; its form is 'forward STAGE MICRO_BATCH'");
  EXPECT_EQ(error_of(head + "forward 0 0 0\n"),
            "schedule:3:13 the line goes on; its form is 'forward STAGE MICRO_BATCH'");
  EXPECT_EQ(error_of(head + "backward x 0\n"),
            "schedule:3:10 STAGE 'x' is not a whole number from 0 to 1048575");
  EXPECT_EQ(error_of(head + "backward 1x 0\n"),
            "schedule:3:10 STAGE '1x' is not a whole number from 0 to 1048575");
  EXPECT_EQ(error_of(head + "backward 0 99999999999999999999\n"),
            "schedule:3:12 MICRO_BATCH '99999999999999999999' is not a whole number from 0 to 1048575");
  EXPECT_EQ(error_of(head + "sideways 0 0\n"),
            "schedule:3:1 a line starts with 'device', 'forward', 'backward', 'backward_input', "
            "'backward_weight', not "
            "with 'sideways'");
  EXPECT_EQ(error_of(head + std::string(kTextLineBytes + 1, ' ')),
            "schedule:3:1 the line has 65537 bytes; a line has at most 65536");
}

// Mutations of good texts are read or refused. The checker accepts or refuses every schedule that is read. A
// small text must not ask for much memory: no list is longer than the text.
TEST(ScheduleText, SurvivesMutations) {
  int read = 0, checked = 0;
  const PipelineCosts pipeline = equal_stages(3, 4, 1, 1, 1).pipeline;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    PhiloxSequence random(seed, 11);
    const ScheduleGenerator& g = schedule_generators()[random.below(schedule_generators().size())];
    std::string text = schedule_text(*generate_schedule(g.name, {3, 4, g.least_chunks}));
    for (uint64_t n = 1 + random.below(3); n > 0; --n) {
      const size_t at = random.below(text.size() + 1);
      const size_t length = random.below(12);
      switch (random.below(5)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, std::string(length, "0129 -#\n\tdf\0"[random.below(12)]));
          break;
        case 2:
          text.insert(at, text.substr(random.below(text.size() + 1), 40));
          break;
        case 3: {  // two lines change places
          const size_t a = text.find('\n', at), b = a == std::string::npos ? a : text.find('\n', a + 1);
          if (b != std::string::npos) text = text.substr(0, a) + text.substr(b) + text.substr(a, b - a);
          break;
        }
        default:
          if (at < text.size()) text[at] = static_cast<char>(random.below(256));
      }
      if (text.empty()) break;
    }
    const auto schedule = parse_schedule(text);
    if (!schedule.ok()) {
      EXPECT_TRUE(schedule.error().source.starts_with("schedule:")) << schedule.error().text();
      continue;
    }
    ++read;
    EXPECT_LE(schedule->devices.size() + schedule->actions(), text.size());
    EXPECT_EQ(*parse_schedule(schedule_text(*schedule)), *schedule);
    checked += check_schedule(pipeline, *schedule).ok();
  }
  EXPECT_GT(read, 400);
  EXPECT_GT(checked, 50);
}

}  // namespace
}  // namespace cutset
