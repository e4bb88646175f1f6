// SPDX-License-Identifier: Apache-2.0
// The initial values of variables.
#pragma once
#include "frontends/cpp/bridge/bridge.h"
#include "runtime/execute/executor.h"
#include "runtime/files/safetensors.h"

namespace cutset {

// Returns the initial values that are not zeros, by variable. Random values are drawn with the reference
// kernels, so that they do not depend on the devices of the session. f32 variables get values of the type
// `dtype`.
Result<TensorMap> initial_values(const GraphSnapshot& graph, DType dtype);
// Sets Variable::drawn of the variables of `program`, the compiled `graph`.
void set_drawn_values(const GraphSnapshot& graph, Program& program);
// Draws the value of each variable that has no value in `values` and is drawn (Variable::drawn).
Status draw_missing(const std::vector<Variable>& variables, TensorMap& values);
// Returns the value of `variable` in a new session: its value in `initial`, or else zeros. A state of an
// optimizer has the value that the optimizer gives it. Fails if no element of the type of the state can have
// this value.
Result<HostTensor> first_value(const Variable& variable, const TensorMap& initial);
// Writes the first values to all copies of the variables.
Status write_first_values(Executor& executor, const std::vector<Variable>& variables,
                          const TensorMap& initial);

}  // namespace cutset
