// SPDX-License-Identifier: Apache-2.0
#include <cutset/error.h>
#include <cutset/learning_rate_schedule.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cutset {
namespace {

using Kind = LearningRateSchedule::Kind;

TEST(LearningRateSchedule, ConstantAndWarmUp) {
  const LearningRateSchedule s = {.rate = 0.5, .warmup_steps = 4};
  EXPECT_EQ(s.at(0), 0.125);
  EXPECT_EQ(s.at(1), 0.25);
  EXPECT_EQ(s.at(3), 0.5);
  EXPECT_EQ(s.at(4), 0.5);
  EXPECT_EQ(s.at(1'000'000), 0.5);
  EXPECT_EQ((LearningRateSchedule{.rate = 0.5}).at(0), 0.5);
}
TEST(LearningRateSchedule, StepDecaysAfterEachStepSizeFromTheEndOfTheWarmUp) {
  const LearningRateSchedule s = {
      .kind = Kind::kStep, .rate = 1, .warmup_steps = 2, .step_size = 3, .decay = 0.5};
  const double expected[] = {0.5, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.25};
  for (int64_t i = 0; i < 9; ++i) EXPECT_EQ(s.at(i), expected[i]) << i;
}
TEST(LearningRateSchedule, LinearAndCosineReachTheirEndAndStay) {
  for (Kind kind : {Kind::kLinear, Kind::kCosine}) {
    const LearningRateSchedule s = {
        .kind = kind, .rate = 1, .warmup_steps = 2, .total_steps = 10, .final_rate = 0.2};
    EXPECT_EQ(s.at(2), 1);
    EXPECT_NEAR(s.at(6), 0.6, 1e-15) << "half way both are in the middle";
    EXPECT_NEAR(s.at(10), 0.2, 1e-15);
    EXPECT_NEAR(s.at(1000), 0.2, 1e-15);
    for (int64_t i = 3; i < 10; ++i) EXPECT_LT(s.at(i), s.at(i - 1));
  }
  const LearningRateSchedule linear = {.kind = Kind::kLinear, .rate = 1, .total_steps = 4};
  EXPECT_EQ(linear.at(1), 0.75);
  const LearningRateSchedule cosine = {.kind = Kind::kCosine, .rate = 1, .total_steps = 4};
  EXPECT_NEAR(cosine.at(1), (1 + std::sqrt(0.5)) / 2, 1e-15);
}
TEST(LearningRateSchedule, WhatHasNoMeaningIsAnError) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  for (const LearningRateSchedule& s :
       {LearningRateSchedule{.rate = nan}, LearningRateSchedule{.rate = infinite},
        LearningRateSchedule{.rate = -1}, LearningRateSchedule{.warmup_steps = -1},
        LearningRateSchedule{.kind = Kind::kStep},
        LearningRateSchedule{.kind = Kind::kStep, .step_size = 1, .decay = nan},
        LearningRateSchedule{.kind = Kind::kCosine},
        LearningRateSchedule{.kind = Kind::kLinear, .warmup_steps = 5, .total_steps = 5},
        LearningRateSchedule{.kind = Kind::kLinear, .total_steps = 5, .final_rate = infinite}})
    EXPECT_THROW(s.at(0), Error);
  EXPECT_THROW(LearningRateSchedule{}.at(-1), Error);
}

}  // namespace
}  // namespace cutset
