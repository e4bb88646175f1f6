// SPDX-License-Identifier: Apache-2.0
// An open data set: a number of samples, and a function that makes batches.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/core/result.h"
#include "runtime/files/host_tensor.h"

namespace cutset {

struct Samples {
  int64_t size = 0;
  // Returns the tensors of a batch by their names. The function gets the numbers of the samples, each at
  // least 0 and less than `size`, and keeps their order. Any thread may call it.
  std::function<Result<std::map<std::string, HostTensor>>(const std::vector<int64_t>& numbers)> batch;
};

// Fails unless `value` is from 1 to the largest i32. `name` says what it is: "sequence length".
Status check_count(const char* name, int64_t value);

}  // namespace cutset
