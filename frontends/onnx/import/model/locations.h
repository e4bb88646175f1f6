// SPDX-License-Identifier: Apache-2.0
// The files that a model of ONNX names for the elements of its tensors.
#pragma once
#include <set>
#include <string>

namespace cutset::onnx_proto {
class ModelProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

// The locations of external data that the tensors of a model name: those of its initializers, of the
// attributes of its nodes and of the nodes of its functions, and of the graphs in these attributes.
std::set<std::string> locations_of_elements(const onnx_proto::ModelProto& model);

}  // namespace cutset::onnx
