// Tensors of known elements in a graph.
#pragma once
#include <cutset/graph.h>

#include "frontends/onnx/names.h"

namespace cutset::onnx {

// Adds a tensor of these elements to the graph. If they are too many for a constant, they become a variable that is not trained, with a
// name from `variables`.
Tensor constant_tensor(Graph& graph, Names& variables, const HostTensor& elements);

}  // namespace cutset::onnx
