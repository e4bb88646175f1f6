// SPDX-License-Identifier: Apache-2.0
// A graph as it was when the snapshot was made, for all shapes of its inputs.
#pragma once
#include <memory>

#include "frontends/cpp/graph/graph_state.h"

namespace cutset {

// Returns a snapshot. It repeats the calls whose ops depend on sizes when it is compiled or listed for other
// shapes.
std::shared_ptr<const GraphSnapshot> snapshot_of(GraphState& graph);

}  // namespace cutset
