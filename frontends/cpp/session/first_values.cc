// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/first_values.h"

#include <set>

#include "ir/core/number_text.h"
#include "runtime/files/convert_floats.h"
#include "runtime/files/usable_memory.h"
#include "runtime/files/widen.h"

namespace cutset {

Result<TensorMap> initial_values(const GraphSnapshot& graph, DType dtype) {
  TensorMap initial;
  double bytes = 0;
  for (const InitializedVariable& v : graph.initialized_variables())
    bytes += static_cast<double>(v.type.bytes());
  if (bytes > static_cast<double>(usable_memory_bytes()))
    return unavailable("the initial values of the variables take " + shortest_text(bytes) +
                           " bytes, and this machine has " + std::to_string(usable_memory_bytes()),
                       "choose smaller sizes of the model");
  for (const InitializedVariable& v : graph.initialized_variables()) {
    if (v.first.elements) {
      initial.emplace(v.name, dtype == DType::f64 ? widened_to_f64(*v.first.elements) : *v.first.elements);
      continue;
    }
    const TensorType type{v.type.dtype == DType::f32 ? dtype : v.type.dtype, v.type.shape};
    CUTSET_ASSIGN(HostTensor value, draw(v.first.drawn, type));
    initial.emplace(v.name, std::move(value));
  }
  return initial;
}

void set_drawn_values(const GraphSnapshot& graph, Program& program) {
  std::map<std::string, const DrawnValue*> drawn;
  for (const InitializedVariable& v : graph.initialized_variables())
    if (!v.first.elements) drawn[v.name] = &v.first.drawn;
  for (Variable& v : program.variables)
    if (const auto found = drawn.find(v.name); found != drawn.end()) v.drawn = *found->second;
}

Result<HostTensor> first_value(const Variable& variable, const TensorMap& initial) {
  if (const auto own = initial.find(variable.name); own != initial.end()) return own->second;
  if (const auto owner = initial.find(variable.state_of); variable.starts_as_owner && owner != initial.end())
    return floats_in(owner->second, variable.type.dtype);
  HostTensor value(variable.type);
  if (variable.first != 0)
    CUTSET_TRY(dispatch_all(variable.type.dtype, [&]<class T>(T) {
      for (T& v : value.as<T>()) v = static_cast<T>(variable.first);
    }));
  return value;
}

Status write_first_values(Executor& executor, const std::vector<Variable>& variables,
                          const TensorMap& initial) {
  std::set<std::string> owners;  // variables whose values are the first values of states
  for (const Variable& v : variables)
    if (v.starts_as_owner && !initial.contains(v.name)) owners.insert(v.state_of);
  TensorMap drawn;  // the drawn values of these variables
  for (const bool states : {false, true})
    for (const Variable& v : variables) {
      if (v.state_of.empty() == states) continue;
      if (const auto own = initial.find(v.name); own != initial.end()) {
        CUTSET_TRY(executor.variables().write(v.name, own->second));
        continue;
      }
      CUTSET_ASSIGN(HostTensor value, v.drawn.is_set()
                                          ? draw(v.drawn, v.type)
                                          : first_value(v, drawn.contains(v.state_of) ? drawn : initial));
      CUTSET_TRY(executor.variables().write(v.name, value));
      if (v.drawn.is_set() && owners.contains(v.name)) drawn.emplace(v.name, std::move(value));
    }
  return {};
}

}  // namespace cutset
