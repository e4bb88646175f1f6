// SPDX-License-Identifier: Apache-2.0
// Makes the plan of a placed program, and the name by which a plan identifies its program.
#pragma once
#include <optional>

#include "graph/config/fitted_strategy.h"
#include "graph/config/plan.h"
#include "ir/structural/structural.h"
#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// Sets the attribute `cutset.program` of a module that a frontend built. The name is a hash of the inputs and
// the ops of its functions, with the operands and the variables that each op reads. Shapes, attributes and
// pins are not part of it.
void name_program(mlir::ModuleOp module);

// Returns the number of the copy of the graph that runs on the device of home number `home` of a variable.
// This is usually `home` itself. It differs for a variable that replicas with a tensor axis divide, because
// its pieces are in the order of the devices of the axis (passes/split/divide_variables.h).
int64_t copy_at_home(ir::VariableOp variable, int64_t home, const FittedStrategy& strategy);

// Returns the plan of a placed module. Updates and the states of an optimizer have no lines, because they
// follow their variables. The plan has one schedule per number of micro-batches that a replica has. For other
// numbers, it has the schedules of `user_plan`, the plan with which the module was placed. Fails with a
// diagnostic if a pipeline has no schedule.
mlir::FailureOr<Plan> plan_of(mlir::ModuleOp module, const std::optional<Plan>& user_plan);

}  // namespace cutset::passes
