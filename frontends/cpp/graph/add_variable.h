// SPDX-License-Identifier: Apache-2.0
// Adds variables with initial values of every kind to a graph.
#pragma once
#include <cutset/graph.h>

#include "frontends/cpp/bridge/bridge.h"

namespace cutset {

// Adds a variable that starts with `first`, or with zeros. The graph shares elements of `first` with the
// caller. Throws as Graph::variable() does.
Tensor add_variable(const Graph& graph, const std::string& name, const TensorType& type,
                    const std::optional<FirstValue>& first, const VariableOptions& options,
                    std::source_location source = std::source_location::current());

}  // namespace cutset
