// What the compiler decided, a line an op, for CUTSET_LOG.
#pragma once
#include <string>

#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// "place: conv1 conv2d (lenet.cc:14) on cpu:0: split 1 of 2 ...", of a module that is placed.
std::string report_placement(mlir::ModuleOp module);
// "dispatch: conv1 conv2d (lenet.cc:14) on cpu:0: conv2d.onednn; refused: ...", of a module that is lowered.
std::string report_kernels(mlir::ModuleOp module);

}  // namespace cutset::passes
