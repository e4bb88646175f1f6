// SPDX-License-Identifier: Apache-2.0
// Places the updates of variables.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "passes/place/choices.h"

namespace cutset::passes {

// Writes the device and the reason to the op.
void set_placement(ir::PlacedOpInterface op, const Choices& choices, size_t device, llvm::StringRef reason);
// Writes the stage to the op.
void set_stage(mlir::Operation* op, int64_t stage);

// Chooses the homes of all variables, and places the updates at the homes. The states of an optimizer have
// the home of their variable. The ops without updates must have their devices. Fails with a diagnostic if an
// op updates something that is no variable, if the home cannot run an update, or if a plan names another home
// for a state. Complexity: O(variables * replicas + ops).
mlir::LogicalResult place_updates(mlir::ModuleOp module, Choices& choices);

}  // namespace cutset::passes
