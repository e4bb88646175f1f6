// SPDX-License-Identifier: Apache-2.0
// Finds the inputs that a function of a graph needs.
#pragma once
#include <cutset/graph.h>

#include <set>
#include <string>

namespace cutset {

// Returns the names of the inputs of `graph` that the results of `function`, such as "train", depend on,
// without the inputs that the session feeds. Throws a cutset::Error if the graph has no such function, or if
// it does not compile.
std::set<std::string> inputs_of_function(const Graph& graph, const std::string& function);
// Returns these names for all functions of the graph together.
std::set<std::string> inputs_of_functions(const Graph& graph);

}  // namespace cutset
