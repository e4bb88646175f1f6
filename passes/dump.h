// Any phase as text and as a picture.
#pragma once
#include <string>

#include "graph/dot.h"
#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

enum class DotLevel { kLayer, kOp };

// The functions of a module as one graph: ops in their layer's cluster, layers in their device's, cut
// edges with tensor and bytes, sends and recvs as nodes of their own, every node with its source line.
// kLayer: one node a layer and role. `function` empty: "train" where there is one.
std::string module_dot(mlir::ModuleOp module, DotLevel level, const std::string& function = "");
std::string module_text(mlir::ModuleOp module);

}  // namespace cutset::passes
