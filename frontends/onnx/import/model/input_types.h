// SPDX-License-Identifier: Apache-2.0
// The types of the inputs of a model. Options give the sizes that the model leaves open.
#pragma once
#include <cutset/onnx.h>

#include <functional>
#include <map>
#include <string>

namespace cutset::onnx_proto {
class GraphProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

struct InputType {
  std::string name;  // the name of the input in the graph
  TensorType type;
  bool fixes_batch = false;  // whether the model states the first size
};

// Returns the inputs that are not initializers, by their names in the model. Throws in these cases:
// - kInvalidData: an input has no name, or two inputs have the same name.
// - kUnsupported: an input is not a tensor, has no shape or has an unsupported element type, or there are
//   more than 1,000 inputs.
// - kInvalidArgument: the options lack a size that the model leaves open, have two values for it, have an
//   array of another rank, or have a name that the model does not have.
std::map<std::string, InputType> input_types(const onnx_proto::GraphProto& graph,
                                             const ImportOptions& options,
                                             const std::function<bool(const std::string&)>& is_initializer);

}  // namespace cutset::onnx
