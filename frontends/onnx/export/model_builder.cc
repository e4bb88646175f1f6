// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/export/model_builder.h"

#include "frontends/onnx/element_types.h"

namespace cutset::onnx {
namespace {

using Attribute = onnx_proto::AttributeProto;

void set(Attribute& to, int64_t value) {
  to.set_type(Attribute::INT);
  to.set_i(value);
}
void set(Attribute& to, float value) {
  to.set_type(Attribute::FLOAT);
  to.set_f(value);
}
void set(Attribute& to, const std::string& value) {
  to.set_type(Attribute::STRING);
  to.set_s(value);
}
void set(Attribute& to, const std::vector<int64_t>& value) {
  to.set_type(Attribute::INTS);
  for (const int64_t v : value) to.add_ints(v);
}
void set(Attribute& to, const std::vector<std::string>& value) {
  to.set_type(Attribute::STRINGS);
  for (const std::string& v : value) to.add_strings(v);
}
void set(Attribute& to, const HostTensor& value) {
  to.set_type(Attribute::TENSOR);
  onnx_proto::TensorProto& tensor = *to.mutable_t();
  tensor.set_data_type(onnx_type(value.dtype()));
  for (const int64_t size : value.shape()) tensor.add_dims(size);
  tensor.set_raw_data(value.data(), value.bytes().size());
}

void describe(onnx_proto::ValueInfoProto& info, const std::string& name, DType type, const SizeNames& sizes) {
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx_type(type));
  auto& shape = *tensor.mutable_shape();
  for (const auto& size : sizes) {
    auto& dimension = *shape.add_dim();
    if (const auto* number = std::get_if<int64_t>(&size))
      dimension.set_dim_value(*number);
    else if (const auto& text = std::get<std::string>(size); !text.empty())
      dimension.set_dim_param(text);
  }
}

}  // namespace

Status ModelBuilder::reserve(const std::string& name) {
  if (names_.unique(name) != name)
    return invalid_argument("an input and an output of the function have the name '" + name + "'",
                            "give the output another name with Graph::function");
  return {};
}

ValueNames ModelBuilder::nodes(const std::string& op, const ValueNames& operands, size_t results,
                               const NodeAttributes& attributes) {
  onnx_proto::NodeProto& node = *graph_.add_node();
  node.set_op_type(op);
  for (const std::string& operand : operands) node.add_input(operand);
  ValueNames names;
  for (size_t i = 0; i < results; ++i) {
    names.push_back(names_.unique(prefix_));
    computed_.insert(names.back());
    node.add_output(names.back());
  }
  node.set_name(names[0]);
  for (const NodeAttribute& attribute : attributes) {
    Attribute& to = *node.add_attribute();
    to.set_name(attribute.name);
    std::visit([&](const auto& value) { set(to, value); }, attribute.value);
  }
  return names;
}

std::string ModelBuilder::constant(HostTensor elements) {
  constexpr size_t kSmall = 64;
  const std::span<const unsigned char> bytes = elements.bytes();
  std::string* shared = nullptr;
  if (bytes.size() <= kSmall) {
    shared = &small_[{to_string(elements.type()), std::string(bytes.begin(), bytes.end())}];
    if (!shared->empty()) return *shared;
  }
  const std::string name = fresh("constant");
  if (shared) *shared = name;
  set_initializer(name, std::move(elements));
  return name;
}

void ModelBuilder::set_initializer(const std::string& name, HostTensor elements) {
  initializers_.emplace_back(name, std::move(elements));
}

void ModelBuilder::add_input(const std::string& name, DType type, const SizeNames& sizes) {
  describe(*graph_.add_input(), name, type, sizes);
}

void ModelBuilder::add_output(const std::string& name, const std::string& value, DType type,
                              const SizeNames& sizes) {
  describe(*graph_.add_output(), name, type, sizes);
  if (computed_.contains(value) && renamed_.try_emplace(value, name).second) return;
  set_prefix(name + "/identity");
  renamed_.emplace(node("Identity", {value}), name);
}

onnx_proto::GraphProto ModelBuilder::finish(std::vector<HostTensor>& elements) {
  const auto rename = [&](std::string& name) {
    if (const auto found = renamed_.find(name); found != renamed_.end()) name = found->second;
  };
  std::set<std::string> needed;
  for (const auto& output : graph_.output()) needed.insert(output.name());
  std::vector<bool> is_needed(static_cast<size_t>(graph_.node_size()));
  for (int i = graph_.node_size(); i-- > 0;) {
    onnx_proto::NodeProto& node = *graph_.mutable_node(i);
    for (std::string& name : *node.mutable_input()) rename(name);
    for (std::string& name : *node.mutable_output()) rename(name);
    for (const std::string& name : node.output())
      if (needed.contains(name)) is_needed[static_cast<size_t>(i)] = true;
    if (is_needed[static_cast<size_t>(i)]) needed.insert(node.input().begin(), node.input().end());
  }
  onnx_proto::GraphProto graph;
  graph.set_name("graph");
  graph.mutable_input()->Swap(graph_.mutable_input());
  graph.mutable_output()->Swap(graph_.mutable_output());
  for (int i = 0; i < graph_.node_size(); ++i)
    if (is_needed[static_cast<size_t>(i)]) graph.add_node()->Swap(graph_.mutable_node(i));
  for (auto& [name, value] : initializers_) {
    if (!needed.contains(name)) continue;
    onnx_proto::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx_type(value.dtype()));
    for (const int64_t size : value.shape()) tensor.add_dims(size);
    elements.push_back(std::move(value));
  }
  return graph;
}

}  // namespace cutset::onnx
