// SPDX-License-Identifier: Apache-2.0
// Groups the nodes of the drawing by op into layers or blocks.
//
// Problem: a drawing by op of a network such as ResNet-18 on two devices has thousands of nodes. Graphviz
//   cannot place them in a minute, and nobody can read them.
// Method: the forward ops of a layer on a device are one node, and so are its backward ops and its updates.
//   A block is the layers whose names begin with the same scopes, and all updates of a device are one block.
//   The blocks of a drawing have as many scopes as keep the nodes of every device at or below
//   kMostNodesPerDevice. Sends and receives become one edge per pair of groups, and the all_reduces between
//   the same groups become one node.
// Complexity: O(s (nodes + edges) log nodes) for layers of s scopes. Failure: none.
#pragma once
#include "graph/dot.h"
#include "passes/inspect/dot_builder.h"

namespace cutset::passes {

// People can read a drawing in which a device has at most this number of nodes. The drawing by block may have
// more if no layer has two scopes.
inline constexpr size_t kMostNodesPerDevice = 60;

struct GroupedDrawings {
  DotGraph layers, blocks;
  bool many_layers =
      false;  // a device has more than kMostNodesPerDevice nodes in `layers`, and fewer in `blocks`
};
GroupedDrawings group_drawing(const DotBuilder& drawing);

}  // namespace cutset::passes
