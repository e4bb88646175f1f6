#include "runtime/all_reduce.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace cutset {
namespace {

std::vector<Collective::Part> parts(std::vector<std::pair<int, int>> ranges) {
  std::vector<Collective::Part> list;
  for (auto [first, last] : ranges) list.push_back({0, first, last});
  return list;
}

TEST(AllReduce, FollowsTheTreeOverShards) {
  using Additions = std::vector<std::pair<size_t, size_t>>;
  EXPECT_EQ(*additions_of(parts({{0, 1}, {1, 2}})), (Additions{{0, 1}}));
  EXPECT_EQ(*additions_of(parts({{0, 1}, {1, 2}, {2, 3}})), (Additions{{0, 1}, {0, 2}}));
  // Eight shards over three devices: what is not whole below a node is added at it.
  EXPECT_EQ(*additions_of(parts({{0, 2}, {2, 3}, {3, 4}, {4, 6}, {6, 8}})),
            (Additions{{1, 2}, {0, 1}, {3, 4}, {0, 3}}));
  EXPECT_EQ(*additions_of(parts({{0, 1}})), Additions());
  EXPECT_FALSE(additions_of(parts({{0, 1}, {2, 3}})).ok());
  EXPECT_FALSE(additions_of(parts({{0, 3}, {3, 4}})).ok());
  EXPECT_FALSE(additions_of({}).ok());
}

TEST(AllReduce, GivesTheSameBitsInAnyOrderOfArrival) {
  const Collective c{{DType::f32, {3}}, parts({{0, 1}, {1, 2}, {2, 3}}), "x"};
  const float values[3][3] = {{1e8f, 1, 2}, {1, -1e8f, 3}, {-1e8f, 1e8f, 0.1f}};
  std::vector<unsigned char> first;
  for (uint64_t step = 1; step <= 6; ++step) {
    static auto sum = *AllReduce::make(c);
    const MessageHeader header{7, step, ~0, 0, 12};
    std::vector<std::thread> posters;
    for (size_t p = 0; p < 3; ++p)
      posters.emplace_back([&, part = (p + step) % 3] {
        std::memcpy(sum->staging(part), values[part], 12);
        sum->post(part, header);
      });
    EXPECT_TRUE(sum->take(header).ok());
    for (std::thread& t : posters) t.join();
    const auto* bytes = static_cast<const unsigned char*>(sum->sum());
    if (first.empty()) first.assign(bytes, bytes + 12);
    EXPECT_EQ(std::vector<unsigned char>(bytes, bytes + 12), first);
  }
}

TEST(AllReduce, APartOfAnotherStepIsAnErrorAndNotASum) {
  auto sum = *AllReduce::make({{DType::f32, {1}}, parts({{0, 1}, {1, 2}}), "x"});
  sum->post(0, {7, 3, ~0, 0, 4});
  sum->post(1, {7, 4, ~0, 0, 4});
  const Status status = sum->take({7, 4, ~0, 0, 4});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.find("step 3"), std::string::npos) << status.error().what;
}

TEST(AllReduce, AbandonEndsTheWait) {
  auto sum = *AllReduce::make({{DType::f32, {1}}, parts({{0, 1}, {1, 2}}), "x"});
  std::thread later([&] { sum->abandon(); });
  EXPECT_FALSE(sum->take({7, 1, ~0, 0, 4}).ok());
  later.join();
}

}  // namespace
}  // namespace cutset
