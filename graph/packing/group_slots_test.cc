// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/group_slots.h"

#include <gtest/gtest.h>

#include <set>

namespace cutset {
namespace {

constexpr int64_t kCalls = 40;

// Adds the values of a group that the calls of a role return: `alive` of them are alive together.
void add_results(std::vector<ArenaValue>& values, int64_t group, int64_t alive, uint64_t bytes,
                 int64_t rotation = 0) {
  for (int64_t c = 0; c < kCalls; ++c)
    values.push_back({10 * c, 10 * (c + alive) - 1, bytes, group, rotation});
}

// Returns how many different combinations of slots the calls use. Each call uses one value of each group.
size_t combinations(const std::vector<size_t>& slots) {
  std::set<std::vector<size_t>> seen;
  for (size_t c = 0; c < kCalls; ++c) {
    std::vector<size_t> used;
    for (size_t i = c; i < slots.size(); i += kCalls) used.push_back(slots[i]);
    seen.insert(std::move(used));
  }
  return seen.size();
}

size_t number_of_slots(const std::vector<size_t>& slots) {
  return std::set<size_t>(slots.begin(), slots.end()).size();
}

void expect_no_overlap(const std::vector<ArenaValue>& values, const std::vector<size_t>& slots) {
  for (size_t a = 0; a < values.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      EXPECT_TRUE(slots[a] != slots[b] || values[b].last < values[a].first) << b << " and " << a;
}

TEST(GroupSlots, GroupsOfARotationHaveDivisorsOfItsFrames) {
  std::vector<ArenaValue> values;
  add_results(values, 0, 8, 1000);
  add_results(values, 1, 2, 100);
  add_results(values, 2, 7, 100);
  add_results(values, 3, 1, 100);
  add_results(values, 4, 3, 100);
  const std::vector<size_t> slots = slots_of(values);
  expect_no_overlap(values, slots);
  EXPECT_EQ(combinations(slots), 8u);
  EXPECT_EQ(number_of_slots(slots), 8u + 2 + 8 + 1 + 4);
}

TEST(GroupSlots, OtherRotationsHaveOtherFrames) {
  std::vector<ArenaValue> values;
  add_results(values, 0, 8, 1000, 0);
  add_results(values, 1, 7, 100, 1);
  add_results(values, 2, 5, 100, -1);
  const std::vector<size_t> slots = slots_of(values);
  expect_no_overlap(values, slots);
  EXPECT_EQ(number_of_slots(slots), 8u + 7 + 5);
}

TEST(GroupSlots, TheNumberOfFramesSavesBytes) {
  std::vector<ArenaValue> values;
  add_results(values, 0, 7, 10);
  add_results(values, 1, 4, 1000);
  const std::vector<size_t> slots = slots_of(values);  // with 7 frames, the second group would have 7 slots
  expect_no_overlap(values, slots);
  EXPECT_EQ(number_of_slots(slots), 8u + 4);
  EXPECT_EQ(combinations(slots), 8u);
}

TEST(GroupSlots, FewFramesMayCostAFewBytes) {
  std::vector<ArenaValue> values;
  add_results(values, 0, 9, 10);
  add_results(values, 1, 8, 110);
  EXPECT_EQ(combinations(slots_of(values)), 16u) << "9 frames need 3.8 % more bytes";
  add_results(values, 2, 1, 1000);
  EXPECT_EQ(combinations(slots_of(values)), 9u) << "9 frames need 2 % more bytes";
}

// A sum is made in the memory of the first partial sum.
TEST(GroupSlots, TheFirstValueMayStay) {
  std::vector<ArenaValue> values;
  add_results(values, 0, 3, 100);
  add_results(values, 1, 2, 100);
  values[kCalls].last = 10 * kCalls;
  const std::vector<size_t> slots = slots_of(values);
  expect_no_overlap(values, slots);
  EXPECT_EQ(combinations(slots), 1 + 3u) << "that of the first call, and three frames";
  EXPECT_EQ(number_of_slots(slots), 3u + 1 + 3);
}

// If values do not end in the order in which they begin, they cannot take turns. Each value then takes a slot
// that is free.
TEST(GroupSlots, ValuesThatEndInAnotherOrderShareSlots) {
  std::vector<ArenaValue> values;
  for (int64_t c = 0; c < kCalls; ++c) values.push_back({10 * c, 10 * c + (c % 3 == 1 ? 25 : 5), 100, 0, 0});
  const std::vector<size_t> slots = slots_of(values);
  expect_no_overlap(values, slots);
  EXPECT_EQ(number_of_slots(slots), 2u);
}

}  // namespace
}  // namespace cutset
