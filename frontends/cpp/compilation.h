// What the public entry points share: sessions, saved programs and verification.
#pragma once
#include <cutset/session.h>

#include "frontends/cpp/graph_state.h"
#include "runtime/host_tensor.h"
#include "runtime/machine.h"
#include "runtime/safetensors.h"

namespace cutset {

Result<CompileRequest> request_of(const CompileOptions& options);
// First values, drawn on the reference device whatever trains; variables that are not named start at zero.
Result<TensorMap> draw_variables(const GraphSnapshot& graph, bool f64);

Status write_first_values(Machine& machine, const std::vector<Variable>& variables, const TensorMap& drawn);
// Widens f32 where the variable is f64, and drops the state that an optimizer kept of a variable where the program has
// none of it. Fails on any other tensor that is no variable's, or of another type. Returns the variables that `tensors`
// lacks.
Result<std::vector<std::string>> fit_variables(const std::string& path, TensorMap& tensors,
                                               const std::vector<Variable>& variables);

}  // namespace cutset
