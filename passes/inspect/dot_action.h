// SPDX-License-Identifier: Apache-2.0
// The texts of inputs and of the actions of schedules in the drawing by op.
#pragma once
#include <string>

#include "graph/dot.h"
#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/inspect/dot_part.h"

namespace cutset::passes {

// Returns the text of a tensor type, such as "4x8xf32", or "?" for any other type.
std::string type_text(mlir::Type type);
// Returns the text of the type of the whole input of which the argument is a shard.
std::string type_of_input(mlir::func::FuncOp function, unsigned argument);
// Whether the session feeds the argument, which is then the step or a hyper-parameter. Returns false for the
// argument -1, which stands for no argument.
bool is_fed(mlir::func::FuncOp function, int argument);

// Describes an action of a schedule, other than a call, in a drawing: adds lines to the node `node` of the
// action, and sets the members of `part`. `function` is the function of the schedule.
void describe_action(mlir::Operation& action, mlir::func::FuncOp function, DotNode& node, DotPart& part);

}  // namespace cutset::passes
