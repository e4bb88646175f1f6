#include "frontends/onnx/import/initializers.h"

#include <string_view>

#include "frontends/onnx/import/errors.h"
#include "frontends/onnx/import/tensor_proto.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {
namespace {

void take(::onnx::GraphProto& graph, const ExternalData* files, Initializers& all) {
  if (graph.sparse_initializer_size() > 0)
    unsupported("the initializer '" + shown(graph.sparse_initializer(0).values().name()) +
                "' is sparse, which is not supported");
  auto& taken = all[&graph];
  std::set<std::string> names;
  for (auto& initializer : *graph.mutable_initializer()) {
    const ::onnx::TensorProto proto = std::move(initializer);  // freed here, so that the elements are in memory once
    const std::string& name = proto.name();
    if (name.empty()) invalid("an initializer has no name");
    initializer.set_name(name);
    if (!names.insert(name).second) invalid("there are two initializers '" + shown(name) + "'");
    Value value = host_tensor(proto, "the initializer '" + shown(name) + "'", files);
    value.is_weight = is_float(value.type().dtype) && !value.type().shape.empty();
    taken.emplace_back(name, std::move(value));
  }
  for (auto& node : *graph.mutable_node())
    for (auto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) take(*attribute.mutable_g(), files, all);
}

// A graph with the names that its inputs, its initializers and the results of its nodes define, in the graphs around it.
struct Defined {
  const ::onnx::GraphProto& graph;
  const Defined* outer;
  std::set<std::string> names;
};

void add_untrained(const ::onnx::GraphProto& graph, const Defined* outer, NamesOfGraphs& untrained) {
  static const std::map<std::string_view, int> kFirst = {
      {"BatchNormalization", 3}, {"QuantizeLinear", 1}, {"DequantizeLinear", 1}, {"QLinearConv", 1},
      {"QLinearMatMul", 1},      {"ConvInteger", 1},    {"MatMulInteger", 1}};
  const Defined here{graph, outer, names_defined_by(graph)};
  for (const auto& node : graph.node()) {
    if (const auto first = kFirst.find(node.op_type()); first != kFirst.end())
      for (int i = first->second; i < node.input_size(); ++i) {
        const Defined* by = &here;
        while (by && !by->names.contains(node.input(i))) by = by->outer;
        if (by) untrained.emplace(&by->graph, node.input(i));
      }
    for (const ::onnx::GraphProto* body : bodies_of(node)) add_untrained(*body, &here, untrained);
  }
}

}  // namespace

Initializers take_initializers(::onnx::GraphProto& graph, const ExternalData* files) {
  Initializers all;
  take(graph, files, all);
  return all;
}

std::vector<const ::onnx::ValueInfoProto*> inputs_of(const ::onnx::GraphProto& graph) {
  std::set<std::string> initializers;
  for (const auto& initializer : graph.initializer()) initializers.insert(initializer.name());
  std::vector<const ::onnx::ValueInfoProto*> inputs;
  for (const auto& input : graph.input())
    if (!initializers.contains(input.name())) inputs.push_back(&input);
  return inputs;
}

std::set<std::string> names_defined_by(const ::onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const auto& input : graph.input()) names.insert(input.name());
  for (const auto& initializer : graph.initializer()) names.insert(initializer.name());
  for (const auto& node : graph.node()) names.insert(node.output().begin(), node.output().end());
  return names;
}

NamesOfGraphs untrained_operands(const ::onnx::GraphProto& graph) {
  NamesOfGraphs untrained;
  add_untrained(graph, nullptr, untrained);
  return untrained;
}

std::vector<const ::onnx::GraphProto*> bodies_of(const ::onnx::NodeProto& node) {
  std::vector<const ::onnx::GraphProto*> bodies;
  for (const auto& attribute : node.attribute())
    if (attribute.has_g()) bodies.push_back(&attribute.g());
  return bodies;
}

}  // namespace cutset::onnx
