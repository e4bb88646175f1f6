// SPDX-License-Identifier: Apache-2.0
// The files that a model of ONNX names for the elements of its tensors.
#pragma once
#include <set>
#include <string>

namespace cutset::onnx_proto {
class ModelProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

// Returns the locations of external data that the tensors of a model name: tensors in initializers, in
// attributes of nodes and of nodes of functions, and in the graphs in these attributes.
std::set<std::string> locations_of_elements(const onnx_proto::ModelProto& model);

}  // namespace cutset::onnx
