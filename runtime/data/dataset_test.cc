// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cutset {
namespace {

TEST(Dataset, ShufflesArePermutationsThatDependOnSeedAndEpoch) {
  const auto a = shuffled_order(1000, 1, 0);
  EXPECT_EQ(a, shuffled_order(1000, 1, 0));
  EXPECT_NE(a, shuffled_order(1000, 1, 1));
  EXPECT_NE(a, shuffled_order(1000, 2, 0));
  auto sorted = a;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(sorted[size_t(i)], i);
}

}  // namespace
}  // namespace cutset
