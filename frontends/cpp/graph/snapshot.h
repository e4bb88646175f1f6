// SPDX-License-Identifier: Apache-2.0
// A graph as it was when the snapshot was made, for all shapes of its inputs.
#pragma once
#include <memory>

#include "frontends/cpp/graph/graph_state.h"

namespace cutset {

// Returns a snapshot. When it is compiled or listed for other shapes, it makes the calls whose ops depend on
// sizes again.
std::shared_ptr<const GraphSnapshot> snapshot_of(GraphState& graph);

}  // namespace cutset
