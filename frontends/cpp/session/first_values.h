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
// Returns the value of `variable` in a new session: its value in `initial`, or else zeros. A state of an
// optimizer has the value that the optimizer gives it. Fails if no element of the type of the state can have
// this value.
Result<HostTensor> first_value(const Variable& variable, const TensorMap& initial);
// Writes the first values to all copies of the variables. A variable without a value in `initial` that is
// drawn (Variable::drawn) gets the value that its op draws; one such value is in the memory of the host at a
// time, besides those from which states start.
Status write_first_values(Executor& executor, const std::vector<Variable>& variables,
                          const TensorMap& initial);

}  // namespace cutset
