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
Result<TensorMap> draw_variables(GraphState& graph, bool f64);

Status write_first_values(Machine& machine, const std::vector<Variable>& variables, const TensorMap& drawn);
// Widens f32 where the variable is f64; fails on a tensor that is no variable's, or of another type.
Status fit_variables(const std::string& path, TensorMap& tensors, const std::vector<Variable>& variables);

}  // namespace cutset
