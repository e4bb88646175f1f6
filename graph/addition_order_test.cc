#include "graph/addition_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "ir/core/sum_tree.h"

namespace cutset {
namespace {

using Addition = AdditionOrder::Addition;

std::vector<Addition> all_additions(ShardRange range, bool along_tree) {
  AdditionOrder order(range, along_tree);
  std::vector<Addition> all;
  for (int64_t s = range.first; s < range.last; ++s)
    for (const Addition& a : order.next()) all.push_back(a);
  return all;
}

TEST(AdditionOrder, AChainAddsEachPartialSumToTheEarlierOnes) {
  EXPECT_EQ(all_additions({0, 1}, false), std::vector<Addition>());
  EXPECT_EQ(all_additions({0, 4}, false), (std::vector<Addition>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
}

TEST(AdditionOrder, TheTreeAddsSiblingsAsSoonAsBothExist) {
  AdditionOrder order({0, 4}, true);
  EXPECT_EQ(order.next(), std::vector<Addition>());
  EXPECT_EQ(order.next(), (std::vector<Addition>{{0, 1, 2}}));
  EXPECT_EQ(order.next(), std::vector<Addition>());
  EXPECT_EQ(order.next(), (std::vector<Addition>{{2, 3, 4}, {0, 2, 4}}));
}

void add_nodes(int64_t first, int64_t last, std::vector<Addition>& nodes) {
  if (last - first < 2) return;
  const int64_t middle = middle_of(first, last);
  add_nodes(first, middle, nodes), add_nodes(middle, last, nodes);
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
  check_nodes(first, middle_of(first, last)), check_nodes(middle_of(first, last), last);
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
      kept -= static_cast<int64_t>(order.next().size());
    }
    EXPECT_EQ(kept, 1) << shards;
    EXPECT_LE(most, std::bit_width(static_cast<uint64_t>(shards)) + 1) << shards;
  }
}

}  // namespace
}  // namespace cutset
