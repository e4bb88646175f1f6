// SPDX-License-Identifier: Apache-2.0
// The values that nodes assign to weights in training.
#pragma once
#include <cutset/graph.h>

#include <vector>

#include "frontends/cpp/bridge/bridge.h"

namespace cutset::onnx {

// The values that the nodes of a model assign to one weight. The import makes them when all nodes are
// converted.
struct Assigned {
  // The assignment of one node.
  struct Move {
    Tensor next;      // the value of the variable after the step
    Tensor training;  // the result of the node in functions that train; a function that needs this result
                      // makes the assignment
    OpSource source = {};
  };
  Tensor variable;  // the variable of the weight; empty: no node has assigned yet
  std::vector<Move> moves;
};

}  // namespace cutset::onnx
