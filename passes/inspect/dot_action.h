// SPDX-License-Identifier: Apache-2.0
// The texts of inputs and of the actions of schedules in the drawing by op.
#pragma once
#include <string>

#include "graph/dot.h"
#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/inspect/dot_part.h"

namespace cutset::passes {

// "4x8xf32", or "?" if the type is not one of a tensor.
std::string type_text(mlir::Type type);
// The type of the whole input of which the argument is a shard.
std::string type_of_input(mlir::func::FuncOp function, unsigned argument);
// Whether the session feeds the argument: it is the step or a hyper-parameter. There is no argument -1.
bool is_fed(mlir::func::FuncOp function, int argument);

// Adds the text of an action that is no call to its node, and says what the node is. `function` is the
// function of the schedule.
void describe_action(mlir::Operation& action, mlir::func::FuncOp function, DotNode& node, DotPart& part);

}  // namespace cutset::passes
