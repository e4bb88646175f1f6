// SPDX-License-Identifier: Apache-2.0
// Describes, for people, how a step runs the actions of a pipeline in parts.
#pragma once
#include "passes/support/placement/pipeline_schedules.h"

namespace cutset::passes {

// Returns lines that say in which rounds (passes/support/placement/rounds.h) a step of the placed `function`
// runs parts of which actions of its schedule: none if a step runs each action at once. Complexity: O(ops +
// operands). Fails with a diagnostic if the devices of the module do not make a grid.
mlir::FailureOr<std::vector<std::string>> round_lines(mlir::func::FuncOp function,
                                                      const PipelineSchedules& schedules);

}  // namespace cutset::passes
