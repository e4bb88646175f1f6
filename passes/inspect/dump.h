// SPDX-License-Identifier: Apache-2.0
// Prints a module of any phase as MLIR text and as DOT text (Graphviz).
#pragma once
#include <string>

#include "mlir/IR/BuiltinOps.h"
#include "passes/inspect/drawings.h"

namespace cutset::passes {

// Returns drawings of "graph", "train" or "evaluate", the first that exists, or else of the first function.
// Nodes are in the cluster of their device. Transfers are labelled with their bytes, and the drawing by op
// has the source line of every node.
Drawings drawings_of(mlir::ModuleOp module);
// Returns the drawing at the usual level alone: by layer, or by block if a device has too many layers.
std::string usual_drawing(mlir::ModuleOp module);
// Returns the text of the module without locations.
std::string module_text(mlir::ModuleOp module);

}  // namespace cutset::passes
