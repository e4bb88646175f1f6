// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/apportion.h"

#include <gtest/gtest.h>

namespace cutset {
namespace {

TEST(Apportion, SharesBecomeWholeSamplesByLargestRemainder) {
  EXPECT_EQ(apportion(61, {5, 2}), (std::vector<int64_t>{44, 17}));
  EXPECT_EQ(apportion(61, {5, 2, 1}), (std::vector<int64_t>{38, 15, 8}));
  EXPECT_EQ(apportion(2, {1, 1, 1}), (std::vector<int64_t>{1, 1, 0}));
  EXPECT_EQ(apportion(0, {3, 1}), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(apportion(7, {0, 1}), (std::vector<int64_t>{0, 7}));
}

}  // namespace
}  // namespace cutset
