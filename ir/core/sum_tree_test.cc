// SPDX-License-Identifier: Apache-2.0
#include "ir/core/sum_tree.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace cutset {
namespace {

using Ranges = std::vector<ShardRange>;

TEST(SumTree, FollowsTheTreeOverShards) {
  using Additions = std::vector<std::pair<size_t, size_t>>;
  EXPECT_EQ(*additions_of({{0, 1}, {1, 2}}), (Additions{{0, 1}}));
  EXPECT_EQ(*additions_of({{0, 1}, {1, 2}, {2, 3}}), (Additions{{0, 1}, {0, 2}}));
  // There are eight shards. The first device has the shards 0 to 2, the second 3 to 5, and the third 6 and 7.
  EXPECT_EQ(*additions_of({{0, 2}, {2, 3}, {3, 4}, {4, 6}, {6, 8}}),
            (Additions{{1, 2}, {0, 1}, {3, 4}, {0, 3}}));
  EXPECT_EQ(*additions_of({{0, 1}}), Additions());
  EXPECT_FALSE(additions_of({{0, 1}, {2, 3}}).ok());
  EXPECT_FALSE(additions_of({{0, 3}, {3, 4}}).ok());
  EXPECT_FALSE(additions_of(Ranges()).ok());
}

TEST(SumTree, PartialsWithoutShardsAreRefused) {
  for (const Ranges& ranges : {Ranges{{0, 0}, {0, 1}},
                               {{0, 1}, {1, 1}, {1, 2}},
                               {{1, 0}},
                               {{-1, 1}},
                               {{0, 1}, {1, 1}},
                               {{INT32_MIN, INT32_MAX}},
                               {{0, 0}}})
    EXPECT_FALSE(additions_of(ranges).ok());
  EXPECT_TRUE(additions_of({{0, INT32_MAX / 2 + 1}, {INT32_MAX / 2 + 1, INT32_MAX}}).ok());
}

}  // namespace
}  // namespace cutset
