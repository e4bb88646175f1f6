// SPDX-License-Identifier: Apache-2.0
// The range of the values that a scalar or an input may have.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "ir/core/result.h"

namespace cutset {

// The numbers that are at least `least` and below `below`, and the numbers in `padding`, which stand for no
// id.
struct ValueRange {
  double least = -std::numeric_limits<double>::infinity(), below = std::numeric_limits<double>::infinity();
  std::set<int64_t> padding = {};
  bool holds(double value) const {
    return (value >= least && value < below) || std::any_of(padding.begin(), padding.end(), [&](int64_t p) {
             return value == static_cast<double>(p);
           });
  }
};
using ValueRanges = std::map<std::string, ValueRange>;  // by the names of hyper-parameters and inputs

// The smallest f32 above 0. A range with this `least` has the numbers above 0. A range with `least` = 0 and
// this `below` has only 0.
inline constexpr double kAboveZero = static_cast<double>(std::numeric_limits<float>::denorm_min());

// Fails unless the hyper-parameter `name` may be `value`, which must also be in the range after it is rounded
// to f32.
Status check_hyper_parameter(const std::string& name, double value, const ValueRange& range);

}  // namespace cutset
