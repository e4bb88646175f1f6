#include "graph/contiguous_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "ir/core/philox.h"

namespace cutset {
namespace {

double load_of(const ChainProblem& p, const std::vector<int>& device) {
  const size_t n = device.size();
  std::vector<double> load(p.seconds[0].size(), 0);
  for (size_t i = 0; i < n; ++i) {
    load[size_t(device[i])] += p.seconds[i][size_t(device[i])];
    if (i + 1 < n && device[i] != device[i + 1])
      load[size_t(device[i])] += p.transfer[i][size_t(device[i])],
          load[size_t(device[i + 1])] += p.transfer[i][size_t(device[i])];
  }
  return *std::max_element(load.begin(), load.end());
}

TEST(ContiguousSplit, IsAsGoodAsTryingAll) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    PhiloxSequence random(seed);
    const size_t layers = 3 + random.below(6), devices = 3;
    ChainProblem p;
    for (size_t i = 0; i < layers; ++i) {
      std::vector<double> s, t;
      for (size_t d = 0; d < devices; ++d) s.push_back(random.unit());
      for (size_t d = 0; d + 1 < devices; ++d) t.push_back(random.unit() * 0.3);
      p.seconds.push_back(s), p.transfer.push_back(t);
    }
    auto split = split_chain(p);
    ASSERT_TRUE(split.ok());
    double best = std::numeric_limits<double>::infinity();
    for (size_t a = 1; a < layers - 1; ++a)
      for (size_t b = a + 1; b < layers; ++b) {
        std::vector<int> device(layers);
        for (size_t i = 0; i < layers; ++i) device[i] = i < a ? 0 : i < b ? 1 : 2;
        best = std::min(best, load_of(p, device));
      }
    EXPECT_NEAR(split->bottleneck, best, 1e-12);
    EXPECT_NEAR(load_of(p, split->device), best, 1e-12);
  }
}

TEST(ContiguousSplit, AvoidsWhatADeviceCannotRun) {
  constexpr double never = std::numeric_limits<double>::infinity();
  ChainProblem p{{{1, never}, {1, 1}, {never, 1}}, {{0}, {0}, {0}}};
  auto split = split_chain(p);
  ASSERT_TRUE(split.ok());
  EXPECT_EQ(split->device.front(), 0);
  EXPECT_EQ(split->device.back(), 1);
  p.seconds[1] = {never, never};
  EXPECT_FALSE(split_chain(p).ok());
}

}  // namespace
}  // namespace cutset
