// Prints a module of any phase as MLIR text and as DOT text (Graphviz).
#pragma once
#include <string>

#include "graph/dot.h"
#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

enum class DotLevel { kLayer, kOp };

// Returns one function of a module as DOT text. Ops are in the cluster of their layer, and layers in the cluster of
// their device. Cut edges are labelled with type and bytes, sends and receives are nodes, and every node has its source
// line. kOp: one node per op. kLayer: one node per layer, device and role. An empty `function` means "graph", "train"
// or "evaluate", the first that exists, or else the first function.
std::string module_dot(mlir::ModuleOp module, DotLevel level, const std::string& function = "");
// Returns the text of the module without locations.
std::string module_text(mlir::ModuleOp module);

}  // namespace cutset::passes
