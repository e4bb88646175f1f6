// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/function_inputs.h"

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/graph/snapshot.h"

namespace cutset {

std::set<std::string> inputs_of_function(const Graph& graph, const std::string& function) {
  const ListedFunction listed = check(snapshot_of(*graph.state())->list(function, {}));
  std::set<std::string> names;
  for (const ListedInput& input : listed.inputs)
    if (!input.fed) names.insert(input.name);
  return names;
}

std::set<std::string> inputs_of_functions(const Graph& graph) {
  std::set<std::string> names;
  for (const std::string& function : check(snapshot_of(*graph.state())->functions()))
    names.merge(inputs_of_function(graph, function));
  return names;
}

}  // namespace cutset
