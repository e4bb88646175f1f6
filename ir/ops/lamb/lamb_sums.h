// SPDX-License-Identifier: Apache-2.0
// The order in which lamb sums the squares of a variable and of its step. All backends use this order, so
// that the sums have the same bits on all devices. Element i belongs to lane i modulo kLambLanes. Each lane
// adds its elements in ascending order, then each of kLambGroups groups of consecutive lanes adds its lanes
// in ascending order, and then the groups are added.
#pragma once
#include <cstdint>

namespace cutset {

inline constexpr int64_t kLambLanes = 16384, kLambGroups = 128;

}  // namespace cutset
