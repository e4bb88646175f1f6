// SPDX-License-Identifier: Apache-2.0
// What the user has decided about the devices of ops and variables.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "passes/place/choices.h"

namespace cutset::passes {

// Chooses the devices that the user pinned. Fails with a diagnostic if a device is not a device of the
// program or of the replica, if the device cannot run the op, or if the op is an update. Complexity: O(ops).
mlir::LogicalResult take_pins(Choices& choices);

// Chooses the devices and the stages that the lines of the plan name, and notes the homes of variables, if
// there is a plan. Fails with a diagnostic if a line contradicts the module, the devices or a pin.
// Complexity: O(ops + lines).
mlir::LogicalResult take_plan(mlir::ModuleOp module, Choices& choices);

}  // namespace cutset::passes
