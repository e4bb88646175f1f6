// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/pack_arena.h"

#include <gtest/gtest.h>

namespace cutset {
namespace {

// Returns the results of the calls of a role: the first result stays, and each later result is used until the
// next call.
std::vector<ArenaValue> results_of_calls(int64_t calls) {
  std::vector<ArenaValue> values{{0, 10 * calls, 100, 0}};
  for (int64_t c = 1; c < calls; ++c) values.push_back({10 * c, 10 * c + 5, 100, 0});
  return values;
}

TEST(PackArena, ValuesOfAGroupShareASlotIfTheyAreNotAliveTogether) {
  auto values = results_of_calls(5);
  // Without slots, a value that begins after a call and stays would be placed where the result of the call
  // was.
  for (int64_t c = 1; c < 5; ++c) values.push_back({10 * c + 6, 50, 100});
  pack_arena(values, 16);
  for (size_t c = 2; c < 5; ++c) EXPECT_EQ(values[c].offset, values[1].offset) << c;
  EXPECT_NE(values[0].offset, values[1].offset);
}

TEST(PackArena, AValueThatIsReadWhileAnotherIsWrittenHasAnotherSlot) {
  std::vector<ArenaValue> values{{0, 3, 64, 7}, {3, 6, 64, 7}, {7, 9, 64, 7}};
  pack_arena(values, 16);
  EXPECT_NE(values[0].offset, values[1].offset);
  EXPECT_EQ(values[2].offset, values[0].offset) << "the slot that has been free for the longest time";
}

TEST(PackArena, OtherGroupsHaveSlotsOfTheirOwn) {
  std::vector<ArenaValue> values{{0, 1, 64, 0}, {2, 3, 64, 1}, {0, 3, 32}};
  const Packing packing = pack_arena(values, 16);
  EXPECT_EQ(packing.bytes, 96u)
      << "values of two groups may still share memory, because they are not alive together";
  EXPECT_EQ(packing.lower_bound, 96u);
}

TEST(PackArena, ValuesOfOneFrameLieSideBySide) {
  // Three values of unequal sizes that a role keeps for a later role, for four micro-batches. Two
  // micro-batches are alive at once.
  std::vector<ArenaValue> values;
  constexpr uint64_t kBytes[] = {100, 20, 64};
  for (int64_t call = 0; call < 4; ++call)
    for (int64_t result = 0; result < 3; ++result)
      values.push_back({10 * call, 10 * call + 15, kBytes[result], result});
  values.push_back({0, 45, 8});
  const Packing packing = pack_arena(values, 16);
  EXPECT_EQ(packing.bytes, 2 * (112 + 32 + 64) + 8u);
  for (size_t a = 0; a < values.size(); ++a) {
    EXPECT_EQ(values[a].offset % 16, 0u) << a;
    for (size_t b = 0; b < a; ++b) {
      const bool together = values[a].first <= values[b].last && values[b].first <= values[a].last;
      EXPECT_TRUE(!together || values[a].offset + values[a].bytes <= values[b].offset ||
                  values[b].offset + values[b].bytes <= values[a].offset)
          << b << " and " << a;
    }
  }
}

}  // namespace
}  // namespace cutset
