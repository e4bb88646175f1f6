// What every pass may take for granted, beside what the verifiers of the ops say. Frontends make only such modules;
// text may hold others, which are errors before the first pass.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// A module holds functions, variables and schedules; the body of a function is one block of cutset's ops that ends in
// a return; a schedule holds actions; arguments are tensors within the limits of ir/core.
mlir::LogicalResult check_module(mlir::ModuleOp module);

// The functions that a pass works on have bodies. Those that `cut` left as signatures do not.
mlir::LogicalResult check_bodies(mlir::ModuleOp module);

}  // namespace cutset::passes
