// SPDX-License-Identifier: Apache-2.0
// Checks the arguments of Graph::minimize and prepares them for the compiler.
#pragma once
#include <cutset/graph.h>

#include "frontends/cpp/bridge/bridge.h"
#include "runtime/program/value_range.h"

namespace cutset {

// An optimizer, the variables that it updates, and the ranges of its hyper-parameters by their names in the
// session.
struct Minimized {
  Minimization minimization;
  ValueRanges ranges;
  std::map<std::string, double> group_rates;  // the learning rates of the groups of "train", by these names
};
// Checks the arguments of minimize() for a loss of the graph. Throws as Graph::minimize does.
Minimized minimized(GraphState& state, int loss, const Optimizer& optimizer, const MinimizeOptions& options,
                    std::source_location source);

// Returns the range of a hyper-parameter. Throws if its value, or the value rounded to f32, is not in the
// range.
ValueRange checked_range(const Optimizer::Scalar& scalar, std::source_location source);

}  // namespace cutset
