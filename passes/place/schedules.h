// SPDX-License-Identifier: Apache-2.0
// Gives the schedules of a plan to a module.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "passes/passes.h"

namespace cutset::passes {

// Sets the attribute kSchedules of a module, whose functions are split and whose devices are known, to the
// schedules of the plan, or removes it if there are none. Fails with a diagnostic if the strategy has no
// pipeline, if a replica cannot have as many micro-batches as a schedule says, if a schedule is incomplete or
// could hang, or if the user's plan has schedules, but none for a number of micro-batches that a replica has.
// Complexity: O(n) for n actions.
mlir::LogicalResult set_schedules(mlir::ModuleOp module, const CompileConfig& config);

}  // namespace cutset::passes
