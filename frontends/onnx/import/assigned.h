// SPDX-License-Identifier: Apache-2.0
// What nodes assign to weights in training.
#pragma once
#include <cutset/graph.h>

#include "frontends/cpp/bridge.h"

namespace cutset::onnx {

// What the nodes of a model assign to one weight in each step of "train". The import makes the assignment
// when all nodes are converted.
struct Assigned {
  Tensor variable;  // of the weight; empty: no node has assigned yet
  Tensor next;      // the value of the variable after the step, from which a later node continues
  OpSource source = {};
};

}  // namespace cutset::onnx
