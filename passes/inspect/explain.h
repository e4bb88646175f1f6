// SPDX-License-Identifier: Apache-2.0
// Explains the placement of every op, for `cutset explain`.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "passes/inspect/explanation.h"
#include "runtime/device/device.h"

namespace cutset::passes {

// Returns one explanation per op that can be placed, for all functions in order. For each of `devices`, the
// explanation holds the kernel and the cost, or the reason why the device cannot run the op. Views and ops
// that `lower` folds have no cost; their kernel is "view" or "folded".
std::vector<Explanation> explain(mlir::ModuleOp module, const DeviceList& devices);

}  // namespace cutset::passes
