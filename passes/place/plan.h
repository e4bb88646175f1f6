// Makes the plan of a placed program, and the name by which a plan identifies its program.
#pragma once
#include "graph/plan.h"
#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// Sets the attribute `cutset.program` of a module that a frontend built. The name is a hash of the inputs and the ops
// of its functions, with the operands and the variables that each op reads. Shapes, attributes and pins are not part of
// it.
void name_program(mlir::ModuleOp module);

// Returns the plan of a placed module. Updates and the states of an optimizer have no lines, because they follow their
// variables.
Plan plan_of(mlir::ModuleOp module);

}  // namespace cutset::passes
