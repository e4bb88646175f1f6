// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/locations.h"

#include "frontends/onnx/messages.h"

namespace cutset::onnx {
namespace {

void add(const onnx_proto::TensorProto& tensor, std::set<std::string>& locations) {
  for (const auto& entry : tensor.external_data())
    if (entry.key() == "location") locations.insert(entry.value());
}

void add(const onnx_proto::SparseTensorProto& tensor, std::set<std::string>& locations) {
  add(tensor.values(), locations);
  add(tensor.indices(), locations);
}

void add(const onnx_proto::GraphProto& graph, std::set<std::string>& locations);

void add(const google::protobuf::RepeatedPtrField<onnx_proto::NodeProto>& nodes,
         std::set<std::string>& locations) {
  for (const auto& node : nodes)
    for (const auto& attribute : node.attribute()) {
      add(attribute.t(), locations);
      add(attribute.sparse_tensor(), locations);
      add(attribute.g(), locations);
      for (const auto& tensor : attribute.tensors()) add(tensor, locations);
      for (const auto& tensor : attribute.sparse_tensors()) add(tensor, locations);
      for (const auto& body : attribute.graphs()) add(body, locations);
    }
}

// The recursion is at most as deep as the messages of a file: parse() accepts 100 levels.
void add(const onnx_proto::GraphProto& graph, std::set<std::string>& locations) {
  for (const auto& tensor : graph.initializer()) add(tensor, locations);
  for (const auto& tensor : graph.sparse_initializer()) add(tensor, locations);
  add(graph.node(), locations);
}

}  // namespace

std::set<std::string> locations_of_elements(const onnx_proto::ModelProto& model) {
  std::set<std::string> locations;
  add(model.graph(), locations);
  for (const auto& function : model.functions()) add(function.node(), locations);
  return locations;
}

}  // namespace cutset::onnx
