// What `--strategy` may say: a product of terms, `data(2, shares=5:2) * model`. The grammar of later
// strategies is known, so they are refused by name.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

// The session's devices in consecutive groups of equal size, one a replica; within a group the graph is
// split if `model` says so.
struct Strategy {
  int64_t replicas = 1;
  std::vector<double> shares;  // of the batch, one a replica; empty: by the speed of the devices
  bool model = false;

  std::string text() const;  // parse_strategy of it gives this again
};

// Empty: one_device for one device, model for more. Fails with a sentence and a hint where the strategy
// does not fit `devices` devices.
Result<Strategy> parse_strategy(const std::string& text, size_t devices);

// `total` in whole numbers in proportion to `shares`, by largest remainder; ties go to the first.
std::vector<int64_t> apportion(int64_t total, const std::vector<double>& shares);

}  // namespace cutset
