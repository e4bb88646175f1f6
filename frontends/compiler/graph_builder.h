// SPDX-License-Identifier: Apache-2.0
// The compiler's side of the bridge. The builder appends MLIR operations directly, so there is no second form
// of the graph.
#pragma once
#include "frontends/compiler/graph_snapshot.h"
#include "frontends/cpp/bridge/bridge.h"

namespace cutset {
// Returns a builder of a copy of a graph, and the object that gives the copy other shapes of its inputs.
Result<GraphCopy> copy_of(const GraphContents& graph, const std::map<std::string, Shape>& input_shapes,
                          const std::string& function);
}  // namespace cutset

// Returns the compiler, or null if `version` is not the bridge version of this library.
extern "C" cutset::Compiler* cutset_compiler_open(int version);
