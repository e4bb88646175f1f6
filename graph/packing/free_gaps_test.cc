// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/free_gaps.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/core/philox.h"

namespace cutset {
namespace {

struct Span {
  uint64_t begin, end;
};

// Returns the lowest start of a free run of at least `bytes` bytes, by counting bytes.
uint64_t lowest_run(const std::vector<Span>& taken, uint64_t bytes) {
  for (uint64_t start = 0;; ++start) {
    const auto overlaps = [&](const Span& s) {
      return s.begin < s.end && s.begin < start + bytes && start < s.end;
    };
    if (std::ranges::none_of(taken, overlaps)) return start;
  }
}

TEST(FreeGaps, TheLowestFreeRunIsFound) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    PhiloxSequence random(seed, 3);
    std::vector<Span> all, taken;
    std::vector<uint64_t> ends;
    for (uint64_t n = random.below(12); n > 0; --n) {
      const uint64_t begin = random.below(100);
      all.push_back({begin, begin + random.below(30)});
      ends.push_back(all.back().begin);
      ends.push_back(all.back().end);
    }
    FreeGaps gaps(ends);
    for (int step = 0; step < 30; ++step) {
      if (!taken.empty() && random.below(3) == 0) {
        const auto gone = taken.begin() + static_cast<int64_t>(random.below(taken.size()));
        gaps.remove(gone->begin, gone->end);
        taken.erase(gone);
      } else if (!all.empty()) {
        taken.push_back(all[random.below(all.size())]);  // the same interval may be taken several times
        gaps.add(taken.back().begin, taken.back().end);
      }
      const uint64_t bytes = 1 + random.below(60);
      EXPECT_EQ(gaps.find(bytes), lowest_run(taken, bytes)) << "seed " << seed << ", " << bytes << " bytes";
    }
  }
}

}  // namespace
}  // namespace cutset
