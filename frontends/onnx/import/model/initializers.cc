// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/initializers.h"

#include <algorithm>
#include <string_view>

#include "frontends/onnx/import/errors.h"
#include "frontends/onnx/import/model/tensor_proto.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {
namespace {

// Adds the names of the values that are outputs of a graph, or that nodes in the graph or in its bodies read.
// Leaves out the integers and the zero points of DequantizeLinear.
void add_other_operands(const onnx_proto::GraphProto& graph, std::set<std::string>& names) {
  for (const auto& output : graph.output()) names.insert(output.name());
  for (const auto& node : graph.node()) {
    for (int i = 0; i < node.input_size(); ++i)
      if (node.op_type() != "DequantizeLinear" || i == 1) names.insert(node.input(i));
    for (const onnx_proto::GraphProto* body : bodies_of(node)) add_other_operands(*body, names);
  }
}

// Returns the initializers of four bits that become integers of 8 bits. DequantizeLinear gives the same
// numbers for both widths. Other ops do not.
std::set<std::string> dequantized_of_four_bits(const onnx_proto::GraphProto& graph) {
  std::set<std::string> names;
  for (const auto& initializer : graph.initializer())
    if (has_four_bits(initializer)) names.insert(initializer.name());
  if (names.empty()) return names;
  std::set<std::string> others;
  add_other_operands(graph, others);
  std::erase_if(names, [&](const std::string& name) { return others.contains(name); });
  return names;
}

// Reads the elements of an attribute of a node from another file into the message.
void embed(onnx_proto::TensorProto& tensor, const onnx_proto::NodeProto& node, const std::string& attribute,
           const ExternalData* files) {
  if (!files || !is_external(tensor)) return;
  const std::string what =
      "the attribute '" + shown(attribute) + "' of the node '" + shown(node.name()) + "'";
  if (has_four_bits(tensor)) return;  // the converter refuses it
  const HostTensor elements = host_tensor(tensor, what, files);
  tensor.set_raw_data(elements.bytes().data(), elements.bytes().size());
  tensor.clear_external_data();
  tensor.set_data_location(onnx_proto::TensorProto::DEFAULT);
}

void take(onnx_proto::GraphProto& graph, const ExternalData* files, Initializers& all) {
  if (graph.sparse_initializer_size() > 0)
    unsupported("the initializer '" + shown(graph.sparse_initializer(0).values().name()) +
                "' is sparse, which is not supported");
  auto& of_graph = all[&graph];
  const std::set<std::string> of_four_bits = dequantized_of_four_bits(graph);
  std::set<std::string> names;
  for (auto& initializer : *graph.mutable_initializer()) {
    const onnx_proto::TensorProto proto =
        std::move(initializer);  // freed here, so that the elements are not in memory twice
    const std::string& name = proto.name();
    if (name.empty()) invalid("an initializer has no name");
    initializer.set_name(name);
    if (!names.insert(name).second) invalid("there are two initializers '" + shown(name) + "'");
    const std::string what = "the initializer '" + shown(name) + "'";
    Value value = of_four_bits.contains(name) ? tensor_of_four_bits(proto, what, files)
                                              : host_tensor(proto, what, files);
    value.is_weight = is_float(value.type().dtype) && !value.type().shape.empty();
    of_graph.emplace_back(name, std::move(value));
  }
  for (auto& node : *graph.mutable_node())
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) take(*attribute.mutable_g(), files, all);
      if (attribute.has_t()) embed(*attribute.mutable_t(), node, attribute.name(), files);
    }
}

// A graph, the names that it defines (inputs, initializers and results of nodes), and the graph around it.
struct Defined {
  const onnx_proto::GraphProto& graph;
  const Defined* outer;
  std::set<std::string> names;
};

void add_untrained(const onnx_proto::GraphProto& graph, const Defined* outer, NamesOfGraphs& untrained) {
  static const std::map<std::string_view, int> kFirst = {{"BatchNormalization", 3},
                                                         {"QuantizeLinear", 1},
                                                         {"DequantizeLinear", 1},
                                                         {"QLinearConv", 1},
                                                         {"QLinearMatMul", 1},
                                                         {"ConvInteger", 1},
                                                         {"MatMulInteger", 1},
                                                         // Ops of ONNX Runtime.
                                                         {"QGemm", 1},
                                                         {"QLinearAdd", 1},
                                                         {"QLinearConcat", 0},
                                                         {"QLinearMul", 1},
                                                         {"QLinearSigmoid", 1},
                                                         {"QLinearLeakyRelu", 1},
                                                         {"QLinearGlobalAveragePool", 1},
                                                         {"MatMulIntegerToFloat", 1},
                                                         {"DynamicQuantizeMatMul", 1}};
  const Defined here{graph, outer, names_defined_by(graph)};
  for (const auto& node : graph.node()) {
    if (const auto first = kFirst.find(node.op_type()); first != kFirst.end())
      for (int i = first->second; i < node.input_size(); ++i) {
        const Defined* by = &here;
        while (by && !by->names.contains(node.input(i))) by = by->outer;
        if (by) untrained.emplace(&by->graph, node.input(i));
      }
    for (const onnx_proto::GraphProto* body : bodies_of(node)) add_untrained(*body, &here, untrained);
  }
}

}  // namespace

Initializers take_initializers(onnx_proto::GraphProto& graph, const ExternalData* files) {
  Initializers all;
  take(graph, files, all);
  return all;
}

std::set<std::string> remove_overridden(onnx_proto::GraphProto& graph,
                                        const std::function<bool(const std::string&)>& is_given) {
  std::set<std::string> inputs, removed;
  for (const auto& input : graph.input())
    if (is_given(input.name())) inputs.insert(input.name());
  if (inputs.empty()) return removed;
  auto& initializers = *graph.mutable_initializer();
  const auto kept = std::stable_partition(initializers.begin(), initializers.end(),
                                          [&](const auto& i) { return !inputs.contains(i.name()); });
  for (auto i = kept; i != initializers.end(); ++i) removed.insert(i->name());
  initializers.erase(kept, initializers.end());
  return removed;
}

std::vector<const onnx_proto::ValueInfoProto*> inputs_of(const onnx_proto::GraphProto& graph) {
  std::set<std::string> initializers;
  for (const auto& initializer : graph.initializer()) initializers.insert(initializer.name());
  std::vector<const onnx_proto::ValueInfoProto*> inputs;
  for (const auto& input : graph.input())
    if (!initializers.contains(input.name())) inputs.push_back(&input);
  return inputs;
}

std::set<std::string> names_defined_by(const onnx_proto::GraphProto& graph) {
  std::set<std::string> names;
  for (const auto& input : graph.input()) names.insert(input.name());
  for (const auto& initializer : graph.initializer()) names.insert(initializer.name());
  for (const auto& node : graph.node()) names.insert(node.output().begin(), node.output().end());
  return names;
}

NamesOfGraphs untrained_operands(const onnx_proto::GraphProto& graph) {
  NamesOfGraphs untrained;
  add_untrained(graph, nullptr, untrained);
  return untrained;
}

std::vector<const onnx_proto::GraphProto*> bodies_of(const onnx_proto::NodeProto& node) {
  std::vector<const onnx_proto::GraphProto*> bodies;
  for (const auto& attribute : node.attribute())
    if (attribute.has_g()) bodies.push_back(&attribute.g());
  return bodies;
}

}  // namespace cutset::onnx
