// SPDX-License-Identifier: Apache-2.0
// The inputs of a model as inputs of a graph.
#pragma once
#include <cutset/onnx.h>

#include <map>
#include <set>
#include <string>

#include "frontends/onnx/import/importer.h"

namespace cutset::onnx {

// The inputs of a graph, by their names in it.
struct ModelInputs {
  std::map<std::string, Tensor> tensors;
  std::set<std::string> fixed_batches;  // those whose first size the model states
};

// Defines the inputs of the model that are not initializers, and returns those of the graph. An input that
// `constants` names becomes a constant with its known elements, and is not returned. No dimension of an input
// that `without_batch` names is the batch. The initializers must be defined. Throws as input_types() does,
// and kInvalidArgument if known elements have another type than the input.
ModelInputs define_inputs(Importer& importer, const onnx_proto::GraphProto& graph,
                          const ImportOptions& options, const std::set<std::string>& constants,
                          const std::set<std::string>& without_batch);

}  // namespace cutset::onnx
