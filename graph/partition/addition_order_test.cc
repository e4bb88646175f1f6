// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/addition_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "ir/core/philox.h"
#include "ir/core/sum_tree.h"

namespace cutset {
namespace {

using Addition = AdditionOrder::Addition;

std::vector<Addition> all_additions(ShardRange range, bool along_tree) {
  AdditionOrder order(range, along_tree);
  std::vector<Addition> all;
  for (int64_t s = range.first; s < range.last; ++s)
    for (const Addition& a : order.add(s)) all.push_back(a);
  return all;
}

TEST(AdditionOrder, AChainAddsEachPartialSumToTheEarlierOnes) {
  EXPECT_EQ(all_additions({0, 1}, false), std::vector<Addition>());
  EXPECT_EQ(all_additions({0, 4}, false), (std::vector<Addition>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
}

TEST(AdditionOrder, TheTreeAddsSiblingsAsSoonAsBothExist) {
  AdditionOrder order({0, 4}, true);
  EXPECT_EQ(order.add(0), std::vector<Addition>());
  EXPECT_EQ(order.add(1), (std::vector<Addition>{{0, 1, 2}}));
  EXPECT_EQ(order.add(2), std::vector<Addition>());
  EXPECT_EQ(order.add(3), (std::vector<Addition>{{2, 3, 4}, {0, 2, 4}}));
}

void add_nodes(int64_t first, int64_t last, std::vector<Addition>& nodes) {
  if (last - first < 2) return;
  const int64_t middle = middle_of(first, last);
  add_nodes(first, middle, nodes);
  add_nodes(middle, last, nodes);
  nodes.push_back({first, middle, last});
}

TEST(AdditionOrder, TheTreeIsThatOfAllReduce) {
  for (int64_t shards = 1; shards <= 70; ++shards) {
    std::vector<Addition> nodes;
    add_nodes(0, shards, nodes);
    EXPECT_EQ(all_additions({0, shards}, true), nodes) << shards;
  }
}

void check_nodes(int64_t first, int64_t last) {
  std::vector<Addition> nodes;
  add_nodes(first, last, nodes);
  EXPECT_EQ(all_additions({first, last}, true), nodes) << first << " to " << last;
  if (last - first < 2) return;
  check_nodes(first, middle_of(first, last));
  check_nodes(middle_of(first, last), last);
}

TEST(AdditionOrder, TheTreeUnderANodeIsPartOfTheWholeTree) {
  for (int64_t shards = 1; shards <= 20; ++shards) check_nodes(0, shards);
  EXPECT_EQ(all_additions({3, 6}, false), (std::vector<Addition>{{3, 4, 5}, {3, 5, 6}}));
}

TEST(AdditionOrder, TheTreeKeepsFewSums) {
  for (int64_t shards = 1; shards <= 70; ++shards) {
    AdditionOrder order({0, shards}, true);
    int64_t kept = 0, most = 0;
    for (int64_t s = 0; s < shards; ++s) {
      most = std::max(most, ++kept);
      kept -= static_cast<int64_t>(order.add(s).size());
    }
    EXPECT_EQ(kept, 1) << shards;
    EXPECT_LE(most, std::bit_width(static_cast<uint64_t>(shards)) + 1) << shards;
  }
}

// Returns the additions of partial sums that arrive in the order `shards`, sorted by their ranges, and the
// largest number of sums that are kept at a time.
std::pair<std::vector<Addition>, int64_t> additions_of(const std::vector<int64_t>& shards, bool along_tree) {
  AdditionOrder order({0, static_cast<int64_t>(shards.size())}, along_tree);
  std::vector<Addition> all;
  int64_t kept = 0, most = 0;
  for (const int64_t s : shards) {
    most = std::max(most, ++kept);
    for (const Addition& a : order.add(s)) {
      all.push_back(a);
      --kept;
    }
  }
  EXPECT_EQ(kept, 1);
  std::sort(all.begin(), all.end(), [](const Addition& a, const Addition& b) {
    return std::pair(a.last - a.first, a.first) < std::pair(b.last - b.first, b.first);
  });
  return {all, most};
}

// The bits of a sum along the tree depend on which sums are added, and not on when.
TEST(AdditionOrder, TheTreeIsTheSameForEveryOrderOfArrival) {
  for (int64_t shards = 1; shards <= 40; ++shards) {
    std::vector<int64_t> order(static_cast<size_t>(shards));
    std::iota(order.begin(), order.end(), 0);
    const auto want = additions_of(order, true).first;
    std::reverse(order.begin(), order.end());
    EXPECT_EQ(additions_of(order, true).first, want) << shards;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      PhiloxSequence random(seed, 5);
      for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      EXPECT_EQ(additions_of(order, true).first, want) << shards << ", seed " << seed;
    }
  }
}

TEST(AdditionOrder, AChainAddsNeighboursInAnyOrder) {
  EXPECT_EQ(additions_of({3, 2, 1, 0}, false),
            (std::pair<std::vector<Addition>, int64_t>({{2, 3, 4}, {1, 2, 4}, {0, 1, 4}}, 2)));
  EXPECT_EQ(additions_of({0, 2, 1, 3}, false),
            (std::pair<std::vector<Addition>, int64_t>({{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}, 3)));
  for (uint64_t seed = 0; seed < 50; ++seed) {
    PhiloxSequence random(seed, 6);
    std::vector<int64_t> order(1 + random.below(30));
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    EXPECT_EQ(additions_of(order, false).first.size(), order.size() - 1) << seed;
  }
}

}  // namespace
}  // namespace cutset
