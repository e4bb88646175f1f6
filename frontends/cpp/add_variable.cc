// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/add_variable.h"

#include <algorithm>

#include "frontends/cpp/graph_state.h"
#include "ir/core/names.h"

namespace cutset {
namespace {

// The variable that an earlier call of a layer made, and that this call shares; null: there is none.
const BuiltValue* shared_variable(const GraphState& state, const std::string& name, const TensorType& type,
                                  std::source_location where) {
  const auto known = state.variables_by_name.find(name);
  const bool shares =
      std::ranges::any_of(state.sharing, [&](const LayerVariables* names) { return names->contains(name); });
  if (known == state.variables_by_name.end() || !shares) return nullptr;
  if (known->second.type != type)
    raise({ErrorCode::kInvalidArgument,
           "this call of the layer needs the variable '" + name + "' as " + to_string(type) +
               ", and an earlier call made it as " + to_string(known->second.type),
           Error::line_of(where), "call the layer with operands of the same sizes, or make a second layer"});
  return &known->second;
}

}  // namespace

Tensor add_variable(const Graph& graph, const std::string& name, const TensorType& type,
                    const std::optional<FirstValue>& first, const VariableOptions& options,
                    std::source_location where) {
  check(check_name(name, "a variable"), where);
  const auto& state = graph.state();
  if (const BuiltValue* shared = shared_variable(*state, name, type, where))
    return {state, shared->id, shared->type};
  const BuiltValue v =
      check(state->builder->variable(name, type, first, options.trainable, state->source(where)));
  ++state->variables;
  state->variables_by_name[name] = v;
  for (LayerVariables* names : state->sharing) names->insert(name);
  return {state, v.id, v.type};
}

}  // namespace cutset
