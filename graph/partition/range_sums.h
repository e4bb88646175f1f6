// SPDX-License-Identifier: Apache-2.0
// Adds amounts to ranges of places (indices from 0), and then sums them per place. It is a planning algorithm
// of graph/.
//
// Method: an array of differences. Complexity: O(1) per range, and O(places) for the sums. Failure: none;
// ranges must lie within the places.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cutset {

class RangeSums {
 public:
  explicit RangeSums(size_t places) : change_(places + 1, 0) {}
  // Adds `amount` to each of the places [first, last). The range may be empty.
  void add(size_t first, size_t last, int64_t amount) {
    change_[first] += amount;
    change_[last] -= amount;
  }
  // Returns the sum of the amounts that were added to each place.
  std::vector<int64_t> sums() const {
    std::vector<int64_t> sums(change_.begin(), change_.end() - 1);
    for (size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
    return sums;
  }

 private:
  std::vector<int64_t> change_;  // change_[i]: the sum of place i minus the sum of place i - 1
};

}  // namespace cutset
