// The inputs of a model as inputs of a graph.
#pragma once
#include <cutset/onnx.h>

#include <map>
#include <string>

#include "frontends/onnx/import/importer.h"

namespace cutset::onnx {

// A model has at most this number of inputs that are not initializers, and of outputs. The memory for them grows with the square of their
// number.
inline constexpr size_t kMaxPorts = 1000;

// Defines the inputs of the model that are not initializers, and returns them by their names in the graph. The initializers must be defined.
// Throws kInvalidArgument if the options lack a size that the model leaves open, or name what the model does not have.
std::map<std::string, Tensor> define_inputs(Importer& importer, const ::onnx::GraphProto& graph,
                                            const ImportOptions& options);

}  // namespace cutset::onnx
