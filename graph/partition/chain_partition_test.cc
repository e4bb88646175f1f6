// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/chain_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/core/philox.h"

namespace cutset {
namespace {

double load_of(const ChainProblem& p, const std::vector<int>& device) {
  const size_t n = device.size();
  std::vector<double> load(p.seconds[0].size(), 0);
  for (size_t i = 0; i < n; ++i) {
    load[size_t(device[i])] += p.seconds[i][size_t(device[i])];
    if (i + 1 < n && device[i] != device[i + 1]) {
      load[size_t(device[i])] += p.transfer[i][size_t(device[i])];
      load[size_t(device[i + 1])] += p.transfer[i][size_t(device[i])];
    }
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
      p.seconds.push_back(s);
      p.transfer.push_back(t);
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

// Returns the device of each layer, or nothing if no split exists. Uses dynamic programming over all cuts in
// O(layers^2 devices).
std::vector<int> split_by_trying_all(const ChainProblem& p) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const size_t layers = p.seconds.size(), devices = p.seconds[0].size(), used = std::min(layers, devices);
  auto load = [&](size_t device, size_t from, size_t to) {
    double sum = 0;
    for (size_t i = from; i < to; ++i) sum += p.seconds[i][device];
    if (from > 0 && device > 0) sum += p.transfer[from - 1][device - 1];
    if (to < layers && device + 1 < devices) sum += p.transfer[to - 1][device];
    return sum;
  };
  std::vector<std::vector<double>> best(used + 1, std::vector<double>(layers + 1, kNever));
  std::vector<std::vector<size_t>> cut(used + 1, std::vector<size_t>(layers + 1, 0));
  best[0][0] = 0;
  for (size_t d = 1; d <= used; ++d)
    for (size_t n = d; n <= layers; ++n)
      for (size_t from = d - 1; from < n; ++from) {
        const double value = std::max(best[d - 1][from], load(d - 1, from, n));
        if (value < best[d][n]) {
          best[d][n] = value;
          cut[d][n] = from;
        }
      }
  if (std::isinf(best[used][layers])) return {};
  std::vector<int> device(layers);
  for (size_t d = used, n = layers; d > 0; n = cut[d][n], --d)
    for (size_t i = cut[d][n]; i < n; ++i) device[i] = static_cast<int>(d - 1);
  return device;
}

// Small whole numbers are added without rounding, and they make many splits equally good.
TEST(ContiguousSplit, IsTheSplitOfDynamicProgrammingAmongEquals) {
  int possible = 0, impossible = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    PhiloxSequence random(seed, 7);
    const size_t layers = 1 + random.below(14), devices = 1 + random.below(5);
    const uint64_t most = 1 + random.below(6), rarely = random.below(3);
    ChainProblem p;
    for (size_t i = 0; i < layers; ++i) {
      auto &s = p.seconds.emplace_back(), &t = p.transfer.emplace_back();
      for (size_t d = 0; d < devices; ++d)
        s.push_back(rarely && random.below(10) < rarely ? std::numeric_limits<double>::infinity()
                                                        : static_cast<double>(random.below(most)));
      for (size_t d = 0; d + 1 < devices; ++d) t.push_back(static_cast<double>(random.below(most)));
    }
    const auto want = split_by_trying_all(p);
    const auto got = split_chain(p);
    ASSERT_EQ(got.ok(), !want.empty()) << "seed " << seed;
    (want.empty() ? impossible : possible) += 1;
    if (want.empty()) continue;
    EXPECT_EQ(got->device, want) << "seed " << seed;
    EXPECT_EQ(got->bottleneck, load_of(p, want)) << "seed " << seed;
    EXPECT_EQ(*std::max_element(got->load.begin(), got->load.end()), got->bottleneck);
  }
  EXPECT_GT(possible, 1000);
  EXPECT_GT(impossible, 100);
}

// A quadratic method would take minutes here.
TEST(ContiguousSplit, TakesManyLayers) {
  constexpr size_t kLayers = 200'000;
  using Numbers = std::vector<double>;
  const ChainProblem p{std::vector<Numbers>(kLayers, Numbers{1, 1, 2, 4}),
                       std::vector<Numbers>(kLayers, Numbers{3, 3, 3})};
  const auto split = split_chain(p);
  ASSERT_TRUE(split.ok());
  // Without transfers, the devices would have 4n/11, 4n/11, 2n/11 and n/11 of the n layers.
  EXPECT_NEAR(split->bottleneck, 4.0 * kLayers / 11 + 4, 3);
  EXPECT_EQ(load_of(p, split->device), split->bottleneck);
}

TEST(ContiguousSplit, AvoidsWhatADeviceCannotRun) {
  constexpr double never = std::numeric_limits<double>::infinity();
  ChainProblem p{{{1, never}, {1, 1}, {never, 1}}, {{0}, {0}, {0}}};
  auto split = split_chain(p);
  ASSERT_TRUE(split.ok());
  EXPECT_EQ(split->device.front(), 0);
  EXPECT_EQ(split->device.back(), 1);
  // Device 0 cannot run the layer in the middle, so device 1 also runs that layer.
  split = split_chain({{{1, 1}, {never, 1}, {1, 1}}, {{0}, {0}}});
  ASSERT_TRUE(split.ok());
  EXPECT_EQ(split->device, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(split->bottleneck, 2);
  // Each layer has a device, but in the wrong order.
  EXPECT_FALSE(split_chain({{{never, 1}, {1, never}}, {{0}}}).ok());
  p.seconds[1] = {never, never};
  EXPECT_FALSE(split_chain(p).ok());
}

}  // namespace
}  // namespace cutset
