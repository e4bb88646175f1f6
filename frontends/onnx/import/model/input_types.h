// SPDX-License-Identifier: Apache-2.0
// The types of the inputs of a model: what the model states, with the sizes of the options where it leaves
// sizes open.
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
  std::string name;  // in the graph
  TensorType type;
  bool fixes_batch = false;  // whether the model states the first size
};

// Returns the inputs that are not initializers, by their names in the model. Throws kInvalidData if an input
// has no name or that of another one, kUnsupported if it is no tensor, has no shape or an unsupported element
// type, or if there are more than 1,000 inputs, and kInvalidArgument if the options lack a size that the
// model leaves open, have two values for it or an array of another rank, or name what the model does not
// have.
std::map<std::string, InputType> input_types(const onnx_proto::GraphProto& graph,
                                             const ImportOptions& options,
                                             const std::function<bool(const std::string&)>& is_initializer);

}  // namespace cutset::onnx
