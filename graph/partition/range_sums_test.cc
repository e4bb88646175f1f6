// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/range_sums.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/core/philox.h"

namespace cutset {
namespace {

TEST(RangeSums, AreTheSumsAtEachPlace) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    PhiloxSequence random(seed, 3);
    const size_t places = random.below(12);
    RangeSums sums(places);
    std::vector<int64_t> want(places, 0);
    for (uint64_t n = random.below(20); n > 0; --n) {
      const size_t first = random.below(places + 1), last = first + random.below(places + 1 - first);
      const auto amount = static_cast<int64_t>(random.below(1000));
      sums.add(first, last, amount);
      for (size_t i = first; i < last; ++i) want[i] += amount;
    }
    EXPECT_EQ(sums.sums(), want) << "seed " << seed;
  }
}

}  // namespace
}  // namespace cutset
