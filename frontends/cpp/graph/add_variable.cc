// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/add_variable.h"

#include <algorithm>

#include "frontends/cpp/graph/graph_state.h"
#include "ir/core/names.h"

namespace cutset {
namespace {

// Returns the variable of this name that an earlier call of a shared layer made, if a call of this layer is
// in progress. Returns null if there is none.
const BuiltValue* shared_variable(const GraphState& state, const std::string& name, const TensorType& type,
                                  std::source_location source) {
  const auto variable = state.variables_by_name.find(name);
  if (variable == state.variables_by_name.end()) return nullptr;
  const bool shares = std::ranges::any_of(state.sharing, [&](const auto& call) {
    const auto shared = call->known.find(name);
    return shared != call->known.end() && shared->second == variable->second.id;
  });
  if (!shares) return nullptr;
  if (variable->second.type != type)
    raise({ErrorCode::kInvalidArgument,
           "this call of the layer needs the variable '" + name + "' as " + to_string(type) +
               ", and an earlier call made it as " + to_string(variable->second.type),
           Error::line_of(source), "call the layer with operands of the same sizes, or make a second layer"});
  return &variable->second;
}

}  // namespace

Tensor add_variable(const Graph& graph, const std::string& name, const TensorType& type,
                    const std::optional<FirstValue>& first, const VariableOptions& options,
                    std::source_location source) {
  check(check_name(name, "a variable"), source);
  const auto& state = graph.state();
  const auto building = state->builder.hold();
  const BuiltValue* shared = shared_variable(*state, name, type, source);
  const BuiltValue variable =
      shared ? *shared
             : check(building->variable(name, type, first, options.trainable, state->source(source)));
  if (!shared) {
    ++state->variables;
    state->variables_by_name[name] = variable;
  }
  for (const auto& call : state->sharing) call->used[name] = variable.id;
  return {state, variable.id, variable.type};
}

}  // namespace cutset
