// A placed program as a plan, and the name by which a plan knows its program.
#pragma once
#include "graph/plan.h"
#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// Gives the module of a frontend its name, `cutset.program`: a hash of the inputs, the variables and the ops of
// its functions, with what each op reads. Neither sizes nor attributes nor pins are part of it.
void name_program(mlir::ModuleOp module);

// Of a module that is placed. Updates and the optimizer's state follow their variables, so they have no lines.
Plan plan_of(mlir::ModuleOp module);

}  // namespace cutset::passes
