// SPDX-License-Identifier: Apache-2.0
// What nodes assign to weights in training.
#pragma once
#include <cutset/graph.h>

#include <vector>

#include "frontends/cpp/bridge/bridge.h"

namespace cutset::onnx {

// What the nodes of a model assign to one weight. The import makes the assignments when all nodes are
// converted.
struct Assigned {
  // What one node assigns.
  struct Move {
    Tensor next;      // the value of the variable after the step
    Tensor training;  // the result of the node in functions that train, which make the assignment if they
                      // need it
    OpSource source = {};
  };
  Tensor variable;  // of the weight; empty: no node has assigned yet
  std::vector<Move> moves;
};

}  // namespace cutset::onnx
