// SPDX-License-Identifier: Apache-2.0
// Sums of sizes that come from outside and may be too large.
#pragma once
#include <cstdint>

namespace cutset {

// Returns a + b, or the largest number if the sum is larger.
constexpr uint64_t saturating_sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

}  // namespace cutset
