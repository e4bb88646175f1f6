// SPDX-License-Identifier: Apache-2.0
// Makes the public Dataset of samples in files.
#pragma once
#include <cutset/data.h>

#include <utility>

#include "frontends/cpp/checks/failure.h"
#include "runtime/data/samples.h"

namespace cutset::data {

inline Dataset dataset_of(Samples samples) {
  return Dataset(samples.size, [batch = std::move(samples.batch)](const std::vector<int64_t>& numbers) {
    return check(batch(numbers));
  });
}

}  // namespace cutset::data
