// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/device_grid.h"

#include <gtest/gtest.h>

namespace cutset {
namespace {

// Two replicas of two positions on a tensor axis of three devices.
TEST(DeviceGrid, ListsTheTensorAxisFastest) {
  const DeviceGrid grid{.devices = 12, .copies = 6, .tensor = 3};
  EXPECT_EQ(grid.per_copy(), 2u);
  EXPECT_EQ(grid.device(0, 0), 0u);
  EXPECT_EQ(grid.device(2, 0), 2u);
  EXPECT_EQ(grid.device(0, 1), 3u);
  EXPECT_EQ(grid.device(3, 0), 6u);
  EXPECT_EQ(grid.device(4, 1), 10u);
  for (size_t d = 0; d < grid.devices; ++d) EXPECT_EQ(grid.device(grid.copy_of(d), grid.position_of(d)), d);
  EXPECT_EQ(grid.replica_of(grid.copy_of(10)), 1);
}

TEST(DeviceGrid, WithoutATensorAxisHasConsecutiveDevicesPerReplica) {
  const DeviceGrid grid{.devices = 6, .copies = 2};
  EXPECT_EQ(grid.device(1, 2), 5u);
  EXPECT_EQ(grid.copy_of(4), 1);
  EXPECT_EQ(grid.position_of(4), 1u);
}

}  // namespace
}  // namespace cutset
