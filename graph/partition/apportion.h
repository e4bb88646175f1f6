// SPDX-License-Identifier: Apache-2.0
// Divides a whole number in proportion to shares, such as a batch over its replicas.
#pragma once
#include <cstdint>
#include <vector>

namespace cutset {

// Divides `total` into whole numbers in proportion to `shares`, by the method of largest remainders
// (Hamilton's method). Of equal remainders, the first share is rounded up. The shares must not be negative,
// and their sum must be positive. Complexity: O(n^2) for n shares. Failure: none.
std::vector<int64_t> apportion(int64_t total, const std::vector<double>& shares);

}  // namespace cutset
