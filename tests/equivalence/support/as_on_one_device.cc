// SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/support/as_on_one_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cutset::testing {

void expect_as_on_one_device(const LossForm& form, std::span<const Split> splits, double bound) {
  constexpr uint64_t kSeed = 7;
  const FormRun want = train(form, {.devices = "reference:0", .f64 = true}, kSeed);
  for (const auto& [devices, strategy] : splits) {
    const FormRun got = train(form, {.devices = devices, .strategy = strategy, .f64 = true}, kSeed);
    const FormDifference d = differences(got, want);
    EXPECT_LE(d.loss, bound) << devices << ", " << strategy;
    EXPECT_LE(d.change, bound) << devices << ", " << strategy;
    EXPECT_THAT(got.different_copies, ::testing::IsEmpty()) << devices << ", " << strategy;
  }
}

}  // namespace cutset::testing
