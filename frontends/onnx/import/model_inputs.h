// The inputs of a model as inputs of a graph.
#pragma once
#include <cutset/onnx.h>

#include <map>
#include <set>
#include <string>

#include "frontends/onnx/import/importer.h"

namespace cutset::onnx {

// Defines the inputs of the model that are not initializers, and returns those of the graph by their names in it. An input that `constants`
// names becomes a constant with its known elements, and is not returned. The initializers must be defined. Throws kInvalidArgument if the options lack a size that the model leaves open, or name what the model does not have.
std::map<std::string, Tensor> define_inputs(Importer& importer, const ::onnx::GraphProto& graph,
                                            const ImportOptions& options, const std::set<std::string>& constants);

}  // namespace cutset::onnx
