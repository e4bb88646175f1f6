// SPDX-License-Identifier: Apache-2.0
// Makes the inputs of a model inputs of a graph.
#pragma once
#include <cutset/onnx.h>

#include <map>
#include <set>
#include <string>

#include "frontends/onnx/import/importer.h"

namespace cutset::onnx {

// The inputs of a graph, by their names in the graph.
struct ModelInputs {
  std::map<std::string, Tensor> tensors;
  std::set<std::string> fixed_batches;  // the inputs whose first size the model states
};

// Defines the inputs of the model that are not initializers, and returns the inputs of the graph. An input in
// `constants` becomes a constant with its known elements, and is not returned. An input in `without_batch`
// has no batch dimension. The initializers must be defined before. Throws as input_types() does, and
// kInvalidArgument if known elements have another type than the input.
ModelInputs define_inputs(Importer& importer, const onnx_proto::GraphProto& graph,
                          const ImportOptions& options, const std::set<std::string>& constants,
                          const std::set<std::string>& without_batch);

}  // namespace cutset::onnx
