// SPDX-License-Identifier: Apache-2.0
// Checks the assumptions that all passes share and that the verifiers of the ops do not check. Frontends make
// only such modules. A module that is read from text may break the assumptions, so every pass checks them
// first.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// Fails, with a diagnostic, unless the following holds. A module contains functions, variables and schedules.
// The body of a function is one block of ops of the dialect cutset that ends in a return. A schedule contains
// ops of this dialect. Arguments and results of functions are tensors within the limits of ir/core.
mlir::LogicalResult check_module(mlir::ModuleOp module);

// Fails, with a diagnostic, if a function has no body. `cut` leaves signatures without bodies, so only passes
// before it call this function.
mlir::LogicalResult check_bodies(mlir::ModuleOp module);

}  // namespace cutset::passes
