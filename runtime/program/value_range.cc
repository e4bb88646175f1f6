// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/value_range.h"

#include <cmath>

#include "ir/core/number_text.h"

namespace cutset {

Status check_hyper_parameter(const std::string& name, double value, const ValueRange& range) {
  const bool bounded = std::isfinite(range.below);
  if (value >= range.least && (!bounded || static_cast<double>(static_cast<float>(value)) < range.below))
    return {};
  std::string bounds = range.least == kAboveZero ? "above 0" : "at least " + shortest_text(range.least);
  if (range.below == kAboveZero)
    bounds = "0";
  else if (bounded)
    bounds += ", and its f32 below " + shortest_text(range.below);
  return invalid_argument("hyper-parameter '" + name + "' is " + shortest_text(value) + "; it must be " +
                          bounds);
}

}  // namespace cutset
