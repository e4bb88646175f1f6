#include "frontends/cpp/add_variable.h"

#include "frontends/cpp/graph_state.h"
#include "ir/core/names.h"

namespace cutset {

Tensor add_variable(const Graph& graph, const std::string& name, const TensorType& type,
                    const std::optional<FirstValue>& first, const VariableOptions& options,
                    std::source_location where) {
  check(check_name(name, "a variable"), where);
  const auto& state = graph.state();
  const BuiltValue v = check(state->builder->variable(name, type, first, options.trainable, state->source(where)));
  ++state->variables;
  return {state, v.id, v.type};
}

}  // namespace cutset
