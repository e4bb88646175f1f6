// SPDX-License-Identifier: Apache-2.0
// Splits the graph of a replica over its devices.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "passes/place/choices.h"

namespace cutset::passes {

// Chooses the devices of all groups of the replica that have none yet, and the stages of all its groups if
// devices have several. Groups that have a device are fixed points of the chain of groups (place.cc has the
// method). Fails with a diagnostic if no device can run a group, or if the fixed points do not follow the
// order of the stages. Complexity: O(ops * devices), and the complexity of the chain partition.
mlir::LogicalResult split_over_devices(mlir::ModuleOp module, Choices& choices, int64_t replica);

}  // namespace cutset::passes
