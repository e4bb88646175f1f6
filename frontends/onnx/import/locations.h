// The files that a graph of ONNX names for the elements of its tensors.
#pragma once
#include <set>
#include <string>

namespace onnx {
class GraphProto;
}  // namespace onnx

namespace cutset::onnx {

// The locations of external data that the tensors of a graph name: those of its initializers, of the attributes of its nodes, and of
// the graphs in these attributes.
std::set<std::string> locations_of_elements(const ::onnx::GraphProto& graph);

}  // namespace cutset::onnx
