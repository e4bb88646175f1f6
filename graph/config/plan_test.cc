// SPDX-License-Identifier: Apache-2.0
// Tests that parse_plan reads what plan_text writes, and that every error of parse_plan names the line and
// the column.
#include "graph/config/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/schedule/test_pipelines.h"
#include "ir/core/philox.h"

namespace cutset {
namespace {

using ::testing::HasSubstr;

const std::string kHead = "cutset plan 1\nprogram p\n";

std::string error_of(const std::string& text) {
  auto plan = parse_plan(text);
  if (plan) return "no error";
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidData);
  return plan.error().text();
}

void expect_same(const Plan& a, const Plan& b) {
  EXPECT_EQ(a.program, b.program);
  ASSERT_EQ(a.ops.size(), b.ops.size());
  for (size_t i = 0; i < a.ops.size(); ++i) {
    EXPECT_EQ(a.ops[i].id, b.ops[i].id);
    EXPECT_EQ(a.ops[i].op, b.ops[i].op);
    EXPECT_EQ(a.ops[i].device, b.ops[i].device);
    EXPECT_EQ(a.ops[i].replica, b.ops[i].replica);
    EXPECT_EQ(a.ops[i].stage, b.ops[i].stage);
  }
  ASSERT_EQ(a.homes.size(), b.homes.size());
  for (size_t i = 0; i < a.homes.size(); ++i) {
    EXPECT_EQ(a.homes[i].variable, b.homes[i].variable);
    EXPECT_EQ(a.homes[i].devices, b.homes[i].devices);
  }
  ASSERT_EQ(a.schedules.size(), b.schedules.size());
  for (size_t i = 0; i < a.schedules.size(); ++i) {
    EXPECT_EQ(a.schedules[i].micro_batches, b.schedules[i].micro_batches);
    EXPECT_EQ(a.schedules[i].schedule, b.schedules[i].schedule);
  }
}

TEST(Plan, IsReadAgainAsItWasWritten) {
  Plan plan;
  plan.program = "0123456789abcdef";
  plan.ops = {{1, "conv", "cpu:0", 0, "conv1 (lenet.cc:14)"},
              {1, "conv", "sim:0", 1, "a note\nop 9 x y 0", 0, 3}};
  plan.homes = {{"fc1.weight", {"cpu:0", "sim:0"}},
                {"a name # \"with\" \\ \n\x7f\xc3\xa4", {"cpu:0", "cpu:0"}},
                {"", {"d"}}};
  plan.schedules = {{4, *generate_schedule("zb-h1", {2, 4, 1}), {"cpu:0", "sim:0\nforward 9 9"}, 0},
                    {1, {{{{ActionKind::kBackward, 0, 7}}, {}, {}}}, {}, 0}};
  auto again = parse_plan(plan_text(plan));
  ASSERT_TRUE(again) << again.error().text();
  expect_same(plan, *again);
  EXPECT_EQ(again->ops[1].line, 5);
  EXPECT_EQ(again->schedules[0].line, 11);
}

TEST(Plan, EveryNameOfAnyBytesIsReadAgain) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    PhiloxSequence random(seed);
    auto name = [&] {
      std::string s(random.below(12), ' ');
      for (char& c : s) c = static_cast<char>(random.below(256));
      return s;
    };
    Plan plan;
    plan.program = "p" + name();
    for (int64_t i = 1; i < 9; ++i)
      plan.ops.push_back({i, name(), "d" + name(), static_cast<int64_t>(random.below(4096)), name()});
    for (int i = 0; i < 4; ++i)
      plan.homes.push_back({std::to_string(i) + name(), {"d" + name(), "e" + name()}});
    auto again = parse_plan(plan_text(plan));
    ASSERT_TRUE(again) << again.error().text();
    expect_same(plan, *again);
  }
}

TEST(Plan, BlankLinesCommentsAndWindowsLineEndsAreNothing) {
  auto plan = parse_plan(
      "\n# a comment\ncutset plan 1\r\n\tprogram p # which\r\n\n op  4\trelu cpu:0 0#no blank\r\n");
  ASSERT_TRUE(plan) << plan.error().text();
  ASSERT_EQ(plan->ops.size(), 1u);
  EXPECT_EQ(plan->ops[0].id, 4);
  EXPECT_EQ(plan->ops[0].line, 6);
}

TEST(Plan, ErrorsNameLineAndColumnAndWhatIsWrong) {
  EXPECT_THAT(error_of(""), HasSubstr("plan:1:1: the plan is empty"));
  EXPECT_THAT(error_of("# nothing\n"), HasSubstr("plan:2:1: the plan is empty"));
  EXPECT_THAT(error_of("module {\n}"), HasSubstr("plan:1:1: this is not a plan: its first line is 'module'"));
  EXPECT_THAT(error_of(std::string("ML\xefR\0\1", 6)),
              HasSubstr("plan:1:3: the character '?' cannot stand here"));
  EXPECT_THAT(error_of("cutset plan 3\n"), HasSubstr("plan:1:13: version '3' is not known; use version 2"));
  EXPECT_THAT(error_of("cutset plan 1 2\n"), HasSubstr("plan:1:15: "));
  EXPECT_THAT(error_of("cutset plan 1\n"),
              HasSubstr("plan:2:1: the plan ends before its line 'program NAME'"));
  EXPECT_THAT(error_of("cutset plan 1\nop 1 relu cpu:0 0"),
              HasSubstr("plan:2:1: a line 'program NAME' was expected"));
  EXPECT_THAT(error_of(kHead),
              HasSubstr("plan:3:1: the plan ends without a line 'op', 'variable' or 'schedule'"));
  EXPECT_THAT(error_of(kHead + "ops 1"),
              HasSubstr("plan:3:1: a line starts with 'op', 'variable', not with 'ops'"));
  EXPECT_THAT(error_of(kHead + "op 1 relu cpu:0"),
              HasSubstr("plan:3:16: the line ends early; its form is 'op ID NAME DEVICE REPLICA'"));
  EXPECT_THAT(error_of(kHead + "op 1 relu cpu:0 0 0"),
              HasSubstr("plan:3:19: the line goes on; its form is 'op ID NAME DEVICE REPLICA'"));
  EXPECT_THAT(error_of(kHead + "variable w"),
              HasSubstr("the line ends early; its form is 'variable NAME DEVICE...'"));
  for (const char* id : {"0", "-1", "+1", "1.5", "x", "\"\"", "99999999999999999999", "9007199254740993"})
    EXPECT_THAT(error_of(kHead + "op " + id + " relu cpu:0 0"), HasSubstr("plan:3:4: ")) << id;
  EXPECT_THAT(error_of(kHead + "op 1 relu cpu:0 4096"),
              HasSubstr("plan:3:17: REPLICA '4096' is not a whole number from 0 to 4095"));
  EXPECT_THAT(error_of(kHead + "op 1 relu \"\" 0"), HasSubstr("plan:3:11: the name of a device is empty"));
  EXPECT_THAT(error_of(kHead + "op 1 relu \"cpu:0 0"),
              HasSubstr("plan:3:11: the quotation mark is not closed"));
  EXPECT_THAT(error_of(kHead + "op 1 relu \"a\\q\" 0"), HasSubstr("plan:3:13: a backslash"));
  EXPECT_THAT(error_of(kHead + "op 1 relu \"a\\x4\" 0"), HasSubstr("plan:3:13: a backslash"));
  EXPECT_THAT(error_of(kHead + "op 1 relu \"a\"b 0"),
              HasSubstr("plan:3:14: the character 'b' cannot stand here"));
  EXPECT_THAT(error_of(kHead + "op 1 relu \"a\tb\" 0"),
              HasSubstr("plan:3:13: a name contains a control character"));
  EXPECT_THAT(error_of(kHead + "op 1 relu \"a\x7f\" 0"),
              HasSubstr("plan:3:13: a name contains a control character"));
  EXPECT_THAT(error_of(kHead + "op 1 relu \"a\\"),
              HasSubstr("plan:3:13: a backslash in a name is followed by"));
  EXPECT_THAT(error_of(kHead + "op 1 relu \"a\\x"),
              HasSubstr("plan:3:13: a backslash in a name is followed by"));
  EXPECT_THAT(error_of(kHead + "op \x7f relu a 0"),
              HasSubstr("plan:3:4: the character '?' cannot stand here"));
  EXPECT_THAT(error_of("a plan 1"), HasSubstr("plan:1:1: this is not a plan: its first line is 'a'..."));
  EXPECT_THAT(error_of("cutset graph 1"),
              HasSubstr("plan:1:1: this is not a plan: its first line is 'cutset'..."));
  EXPECT_THAT(error_of("cutset plan " + std::string(61, '2')),
              HasSubstr("version '" + std::string(60, '2') + "...' is not known"));
}

const std::string kTwo = "cutset plan 2\nprogram p\n";

TEST(Plan, OfVersionOneHasNoSchedules) {
  EXPECT_TRUE(parse_plan(kHead + "op 1 relu cpu:0 0\n"));
  EXPECT_THAT(error_of(kHead + "schedule 4\n"),
              HasSubstr("plan:3:1: a line starts with 'op', 'variable', not with 'schedule'"));
  EXPECT_THAT(error_of(kHead + "forward 0 0\n"), HasSubstr("not with 'forward'"));
  EXPECT_THAT(error_of(kHead + "op 1 relu cpu:0 0 2\n"), HasSubstr("plan:3:19: the line goes on"));
  EXPECT_THAT(error_of(kTwo + "op 1 relu cpu:0 0 1000000000\n"),
              HasSubstr("plan:3:19: STAGE '1000000000' is not"));
  EXPECT_THAT(error_of(kTwo + "op 1 relu cpu:0 0 2 3\n"),
              HasSubstr("plan:3:21: the line goes on; its form is 'op ID NAME DEVICE REPLICA [STAGE]'"));
  EXPECT_THAT(
      error_of(kTwo + "ops 1"),
      HasSubstr("a line starts with 'op', 'variable', 'schedule', 'device' or an action, not with 'ops'"));
}

TEST(Plan, ErrorsOfSchedulesNameLineAndColumn) {
  const std::string head = kTwo + "schedule 4\n";
  EXPECT_TRUE(parse_plan(head));
  EXPECT_THAT(
      error_of(kTwo + "device 0\n"),
      HasSubstr(
          "plan:3:1: the line belongs to a schedule, and no line 'schedule MICRO_BATCHES' comes before it"));
  EXPECT_THAT(error_of(kTwo + "forward 0 0\n"),
              HasSubstr("plan:3:1: an action is listed before the first line 'device 0'"));
  EXPECT_THAT(error_of(head + "forward 0 0\n"), HasSubstr("plan:4:1: an action is listed before"));
  EXPECT_THAT(error_of(head + "device 1\n"),
              HasSubstr("plan:4:8: device 1 is listed where device 0 is expected"));
  EXPECT_THAT(error_of(head + "device 0\nforward 0\n"), HasSubstr("its form is 'forward STAGE MICRO_BATCH'"));
  EXPECT_THAT(error_of(head + "schedule 4\n"),
              HasSubstr("plan:4:10: the schedule of 4 micro-batches has lines already"));
  for (const char* count : {"0", "-1", "1048577", "2147483648", "99999999999999999999", "x", "\"\""})
    EXPECT_THAT(error_of(kTwo + "schedule " + count + "\n"), HasSubstr("plan:3:10: MICRO_BATCHES '"))
        << count;
  for (const char* stage : {"1000000000", "2147483648", "-1", "1048576"})
    EXPECT_THAT(error_of(head + "device 0\nforward " + stage + " 0\n"), HasSubstr("plan:5:9: STAGE '"))
        << stage;
}

TEST(Plan, MayNameOnlyVariables) {
  auto plan = parse_plan(kHead + "variable w cpu:0 sim:0\n");
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_TRUE(plan->ops.empty());
  ASSERT_EQ(plan->homes.size(), 1u);
  EXPECT_EQ(plan->homes[0].devices, (std::vector<std::string>{"cpu:0", "sim:0"}));
}

TEST(Plan, NothingIsSaidTwice) {
  EXPECT_THAT(error_of(kHead + "op 1 relu a 0\nop 1 relu b 1\nop 1 relu b 0"),
              HasSubstr("plan:5:4: op 1 of replica 0 has a line already"));
  EXPECT_THAT(error_of(kHead + "variable w a\nvariable \"w\" b"),
              HasSubstr("plan:4:10: the variable 'w' has a line already"));
}

TEST(Plan, LimitsAreKept) {
  EXPECT_THAT(error_of(kHead + "variable w " + std::string(kTextLineBytes, 'x')),
              HasSubstr("a line has at most 65536"));
  EXPECT_THAT(error_of(std::string(kTextBytes + 1, '\n')), HasSubstr("it has at most 268435456"));
  std::string many = kHead;
  for (size_t i = 1; i <= kPlanEntries + 1; ++i) many += "op " + std::to_string(i) + " a b 0\n";
  EXPECT_THAT(error_of(many), HasSubstr("more than 1048576 ops and variables"));
}

// A parser that searches all earlier lines for each line would take minutes here.
TEST(Plan, OfManyLinesIsRead) {
  constexpr size_t kLines = 400'000;
  std::string text = kHead;
  for (size_t i = 1; i <= kLines; ++i) text += "op " + std::to_string(i) + " relu cpu:0 0\n";
  const auto plan = parse_plan(text);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->ops.size(), kLines);
}

// At the limit of 2^20 pairs of a stage and a micro-batch, which have three actions each, a reader that
// compares each action with all earlier actions would take hours.
TEST(Plan, TheLargestScheduleIsReadAndChecked) {
  constexpr int64_t kDevices = 4096, kMicroBatches = 256;
  Plan plan;
  plan.program = "p";
  plan.schedules = {{kMicroBatches, *generate_schedule("zb-h1", {kDevices, kMicroBatches, 1}), {}, 0}};
  const auto again = parse_plan(plan_text(plan));
  ASSERT_TRUE(again);
  const PipelineCosts pipeline = equal_stages(kDevices, kMicroBatches, 1, 1, 1).pipeline;
  EXPECT_TRUE(check_schedule(pipeline, again->schedules[0].schedule).ok());
  EXPECT_EQ(again->schedules[0].schedule, plan.schedules[0].schedule);
  std::string many = kTwo + "schedule 1\ndevice 0\n";
  for (size_t i = 0; i <= kPlanActions; ++i) many += "forward 0 0\n";
  EXPECT_THAT(error_of(many), HasSubstr("the plan has more than 3145728 actions"));
}

}  // namespace
}  // namespace cutset
