// The files that a model of ONNX names for the elements of its tensors.
#pragma once
#include <set>
#include <string>

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace cutset::onnx {

// The locations of external data that the tensors of a model name: those of its initializers, of the attributes of its nodes and of the nodes
// of its functions, and of the graphs in these attributes.
std::set<std::string> locations_of_elements(const ::onnx::ModelProto& model);

}  // namespace cutset::onnx
