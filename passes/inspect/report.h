// SPDX-License-Identifier: Apache-2.0
// Reports the decisions of the compiler, one line per op, for CUTSET_LOG.
#pragma once
#include <string>

#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// Returns lines such as "place: conv1 conv (lenet.cc:14) on cpu:0: split 1 of 2 ..." for a placed module.
std::string report_placement(mlir::ModuleOp module);
// Returns lines such as "dispatch: conv1 conv (lenet.cc:14) on cpu:0: conv.reference; refused: ..." for a
// lowered module.
std::string report_kernels(mlir::ModuleOp module);

}  // namespace cutset::passes
