// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/chain_devices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "ir/core/philox.h"

namespace cutset {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The largest load of an assignment, computed from the definition; infinity if a device cannot have its
// layers.
double largest_load(const ChainDevices& p, const std::vector<int>& device) {
  const size_t devices = p.seconds[0].size();
  std::vector<double> load(devices, 0), bytes(devices, 0), most(devices, 0);
  for (size_t i = 0; i < device.size(); ++i) {
    const auto d = static_cast<size_t>(device[i]);
    load[d] += p.seconds[i][d];
    if (!p.memory.bytes.empty()) {
      bytes[d] += p.memory.bytes[i];
      most[d] = std::max(most[d], p.memory.working_bytes[i]);
      if (bytes[d] + most[d] > p.memory.capacity[d]) return kInfinity;
    }
    if (i + 1 == device.size() || device[i] == device[i + 1]) continue;
    const auto next = static_cast<size_t>(device[i + 1]);
    double seconds = 0;
    for (const auto& lane : p.ends) seconds = std::max(seconds, lane[i][d] + lane[i][next]);
    load[d] += seconds;
    load[next] += seconds;
  }
  return *std::max_element(load.begin(), load.end());
}

// Calls `visit` with each assignment of layers to devices in ascending order. Devices may be left out.
template <class Visit>
void for_each_assignment(size_t layers, size_t devices, const Visit& visit, std::vector<int> device = {}) {
  if (device.size() == layers) return visit(device);
  for (int d = device.empty() ? 0 : device.back(); d < static_cast<int>(devices); ++d) {
    device.push_back(d);
    for_each_assignment(layers, devices, visit, device);
    device.pop_back();
  }
}

// Whole numbers are added without rounding. Fast and slow devices, dear transfers and little memory make
// empty devices.
ChainDevices draw(PhiloxSequence& random) {
  const size_t layers = 1 + random.below(6), devices = 1 + random.below(4), lanes = 1 + random.below(2);
  const uint64_t dear = 1 + random.below(8);
  const bool limited = random.below(2);
  std::vector<uint64_t> slow;
  for (size_t d = 0; d < devices; ++d) slow.push_back(1 + random.below(4));
  ChainDevices p;
  p.ends.resize(lanes);
  for (size_t i = 0; i < layers; ++i) {
    auto& seconds = p.seconds.emplace_back();
    for (size_t d = 0; d < devices; ++d)
      seconds.push_back(random.below(12) ? static_cast<double>(slow[d] * random.below(6)) : kInfinity);
    for (auto& lane : p.ends) {
      auto& ends = lane.emplace_back();
      for (size_t d = 0; d < devices; ++d) ends.push_back(static_cast<double>(random.below(dear)));
    }
    if (!limited) continue;
    p.memory.bytes.push_back(static_cast<double>(random.below(5)));
    p.memory.working_bytes.push_back(static_cast<double>(random.below(5)));
  }
  for (size_t d = 0; limited && d < devices; ++d)
    p.memory.capacity.push_back(random.below(3) ? static_cast<double>(4 + random.below(12)) : kInfinity);
  return p;
}

TEST(ChainDevices, HaveTheSmallestLoadOfAllAssignments) {
  int empty = 0, alone = 0, impossible = 0, all = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    PhiloxSequence random(seed, 11);
    const ChainDevices p = draw(random);
    const size_t layers = p.seconds.size(), devices = p.seconds[0].size();
    double best = kInfinity;
    for_each_assignment(layers, devices, [&](const std::vector<int>& device) {
      best = std::min(best, largest_load(p, device));
    });
    const auto split = split_over_some(p);
    ASSERT_EQ(split.ok(), best < kInfinity) << "seed " << seed;
    impossible += !split.ok();
    if (!split.ok()) continue;
    EXPECT_EQ(split->bottleneck, best) << "seed " << seed;
    EXPECT_EQ(largest_load(p, split->device), best) << "seed " << seed;
    EXPECT_EQ(*std::max_element(split->load.begin(), split->load.end()), best) << "seed " << seed;
    const std::set<int> used(split->device.begin(), split->device.end());
    ++(used.size() == devices ? all : used.size() == 1 ? alone : empty);
  }
  for (const int count : {empty, alone, impossible, all}) EXPECT_GT(count, 50);
}

// An assignment that uses fewer of the devices that have layers has a larger load.
TEST(ChainDevices, AreUsedOnlyIfTheLoadNeedsThem) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    PhiloxSequence random(seed, 12);
    const ChainDevices p = draw(random);
    const auto split = split_over_some(p);
    if (!split.ok()) continue;
    const std::set<int> used(split->device.begin(), split->device.end());
    for_each_assignment(p.seconds.size(), p.seconds[0].size(), [&](const std::vector<int>& device) {
      const std::set<int> others(device.begin(), device.end());
      if (others.size() < used.size() && std::ranges::includes(used, others))
        EXPECT_GT(largest_load(p, device), split->bottleneck) << "seed " << seed;
    });
  }
}

TEST(ChainDevices, WithAnEmptyOneUsedHaveTheSmallestLoadOfTheseAssignments) {
  int possible = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    PhiloxSequence random(seed, 13);
    const ChainDevices p = draw(random);
    const auto split = split_over_some(p);
    if (!split.ok()) continue;
    const std::set<int> used(split->device.begin(), split->device.end());
    for (int empty = 0; empty < static_cast<int>(p.seconds[0].size()); ++empty) {
      if (used.contains(empty)) continue;
      double best = kInfinity;
      for_each_assignment(p.seconds.size(), p.seconds[0].size(), [&](const std::vector<int>& device) {
        const bool counts =
            std::ranges::all_of(device, [&](int d) { return d == empty || used.contains(d); });
        if (counts && std::ranges::count(device, empty)) best = std::min(best, largest_load(p, device));
      });
      EXPECT_EQ(load_with(p, *split, static_cast<size_t>(empty)), best) << "seed " << seed;
      possible += best < kInfinity;
    }
  }
  EXPECT_GT(possible, 500);
}

// Of equal devices, the first ones are taken.
TEST(ChainDevices, AreTheFirstOnesIfAllAreEqual) {
  const ChainDevices dear{{{1, 1, 1}, {1, 1, 1}}, {{{5, 5, 5}, {5, 5, 5}}}};
  EXPECT_EQ(split_over_some(dear)->device, (std::vector<int>{0, 0}));
  const ChainDevices cheap{{{1, 1, 1}, {1, 1, 1}}, {{{0, 0, 0}, {0, 0, 0}}}};
  EXPECT_EQ(split_over_some(cheap)->device, (std::vector<int>{0, 1}));
}

// A method that is quadratic in the layers would take minutes here.
TEST(ChainDevices, TakeManyLayers) {
  constexpr size_t kLayers = 100'000;
  using Numbers = std::vector<double>;
  const ChainDevices p{std::vector<Numbers>(kLayers, Numbers{1, 1, 2, 4}),
                       {std::vector<Numbers>(kLayers, Numbers{1, 1, 1, 1})}};
  const auto split = split_over_some(p);
  ASSERT_TRUE(split.ok());
  // Without transfers, the devices would have 4n/11, 4n/11, 2n/11 and n/11 of the n layers.
  EXPECT_NEAR(split->bottleneck, 4.0 * kLayers / 11 + 3, 3);
}

}  // namespace
}  // namespace cutset
