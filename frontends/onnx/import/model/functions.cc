// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/functions.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "frontends/cpp/checks/failure.h"
#include "frontends/onnx/import/errors.h"
#include "frontends/onnx/import/model/initializers.h"
#include "frontends/onnx/import/model/limits.h"
#include "frontends/onnx/import/model/message_cost.h"
#include "frontends/onnx/import/nodes/node.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {
namespace {

using Attribute = onnx_proto::AttributeProto;
using Function = onnx_proto::FunctionProto;
using GraphProto = onnx_proto::GraphProto;
using NodeProto = onnx_proto::NodeProto;
using Nodes = google::protobuf::RepeatedPtrField<NodeProto>;

// A value "x" of the third call that is inlined gets the name "x of call 3".
constexpr const char* kOfCall = " of call ";
constexpr size_t kMostBytes = size_t{1} << 26;
// The memory in bytes that a new name takes in addition to the characters of the old name.
constexpr size_t kBytesOfName = 64;
// The memory in bytes of a node with at most one attribute, without its names and its tensor.
constexpr size_t kBytesOfNode = 1024;

bool is_of_call(const std::string& name) {
  const size_t at = name.rfind(kOfCall), number = at + std::string_view(kOfCall).size();
  return at != std::string::npos && number < name.size() &&
         name.find_first_not_of("0123456789", number) == std::string::npos;
}

// Throws if a value has a name that a value of a function may get. Names of functions need no check.
void check_names(const GraphProto& graph) {
  for (const std::string& name : names_defined_by(graph))
    if (is_of_call(name))
      unsupported("the model has functions, and a value with the name '" + shown(name) +
                  "', which values of functions get");
  for (const NodeProto& node : graph.node())
    for (const GraphProto* body : bodies_of(node)) check_names(*body);
}

// Returns about how many bytes of memory a message takes.
template <class Message>
size_t memory_of(const Message& message, MessageKind kind) {
  if (message.ByteSizeLong() > kMostBytes) return kMostBytes;
  const std::string bytes = message.SerializeAsString();
  return bytes.size() +
         message_cost({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()}, kind, kMostBytes);
}

// Checks the properties that all calls of a function share. Returns the bytes of the names that each call
// looks up.
size_t check_function(const Function& function, int64_t opset) {
  for (const auto& set : function.opset_import())
    if (is_default_domain(set.domain()) && set.version() != opset)
      unsupported("it uses version " + std::to_string(set.version()) +
                  " of the operator set, and the model version " + std::to_string(opset));
  size_t bytes = 0;
  const auto count = [&](const std::string& name) { bytes += kBytesOfName + name.size(); };
  std::set<std::string_view> inputs, known;
  for (const std::string& input : function.input()) {
    if (!inputs.insert(input).second) invalid("two inputs have the name '" + shown(input) + "'");
    count(input);
  }
  for (const NodeProto& node : function.node())
    for (const std::string& result : node.output()) {
      if (inputs.contains(result)) invalid("a node computes the input '" + shown(result) + "'");
      known.insert(result);
    }
  for (const std::string& output : function.output()) {
    if (!known.contains(output) && !inputs.contains(output))
      invalid("nothing computes its output '" + shown(output) + "'");
    count(output);
  }
  for (const std::string& attribute : function.attribute()) count(attribute);
  for (const Attribute& attribute : function.attribute_proto()) count(attribute.name());
  return bytes;
}

// One call of a function, with the names in the graph for its inputs and outputs, and with the values of its
// attributes. Both messages must outlive the object.
class Call {
 public:
  Call(const NodeProto& node, const Function& function, int64_t number)
      : node_(node), function_(function), suffix_(kOfCall + std::to_string(number)) {
    if (node.input_size() > function.input_size() || node.output_size() > function.output_size())
      invalid("a call has more operands or results than the function");
    for (int i = 0; i < function.input_size(); ++i)
      names_.emplace(function.input(i), i < node.input_size() ? std::string_view(node.input(i)) : "");
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty()) continue;
      const auto [known, is_new] = names_.emplace(function.output(i), node.output(i));
      if (!is_new) copies_.emplace_back(known->second, node.output(i));
    }
    std::set<std::string_view> taken(function.attribute().begin(), function.attribute().end());
    for (const Attribute& by_default : function.attribute_proto()) {
      taken.insert(by_default.name());
      attributes_[by_default.name()] = &by_default;
    }
    for (const Attribute& given : node.attribute()) {
      if (!taken.contains(given.name()))
        unsupported("the attribute '" + shown(given.name()) + "' has no effect");
      attributes_[given.name()] = &given;
    }
  }

  // Changes a node of the function to a node of the graph around the call.
  void rewrite(NodeProto& node) {
    for (std::string& operand : *node.mutable_input()) operand = name(operand);
    for (std::string& result : *node.mutable_output()) result = name(result);
    node.set_name((node_.name().empty() ? function_.name() : node_.name()) + "/" +
                  (node.name().empty() ? node.op_type() : node.name()));
    google::protobuf::RepeatedPtrField<Attribute> attributes;
    for (Attribute& attribute : *node.mutable_attribute()) {
      if (!attribute.ref_attr_name().empty() && !resolve(attribute)) continue;
      if (attribute.has_g()) rewrite(*attribute.mutable_g());
      *attributes.Add() = std::move(attribute);
    }
    node.mutable_attribute()->Swap(&attributes);
  }

  // Returns an upper bound of the bytes that rewrite() adds to a node of the function.
  size_t growth_of(const NodeProto& node) const {
    size_t bytes = kBytesOfName + node_.name().size() + function_.name().size();
    for (const std::string& operand : node.input()) bytes += growth_of(operand);
    for (const std::string& result : node.output()) bytes += growth_of(result);
    for (const Attribute& attribute : node.attribute()) {
      if (const Attribute* value = referenced(attribute)) bytes += memory_of(*value, MessageKind::kAttribute);
      const GraphProto& body = attribute.g();
      for (const auto& input : body.input()) bytes += growth_of(input.name());
      for (const auto& output : body.output()) bytes += growth_of(output.name());
      for (const auto& initializer : body.initializer())
        bytes += kBytesOfNode + growth_of(initializer.name());
      for (const NodeProto& inner : body.node()) bytes += growth_of(inner);
    }
    return bytes;
  }

  // Returns the results of the function that are its inputs, or that it returns twice: pairs of the name of a
  // value and the name of its copy.
  const std::vector<std::pair<std::string_view, std::string_view>>& copies() const { return copies_; }

 private:
  std::string name(const std::string& inner) const {
    if (inner.empty()) return inner;
    for (const auto& names : of_bodies_)
      if (names.contains(inner)) return inner + suffix_;
    const auto outer = names_.find(inner);
    return outer == names_.end() ? inner + suffix_ : std::string(outer->second);
  }

  // Returns an upper bound of the bytes that rewrite() adds to a name. The name may be long, so it is not
  // copied. kBytesOfName has room for the suffix that a name of a body gets.
  size_t growth_of(const std::string& inner) const {
    const auto outer = names_.find(inner);
    return kBytesOfName + (outer == names_.end() ? 0 : outer->second.size());
  }

  // Returns the attribute of the call, or the default of the function, to which `attribute` refers. Returns
  // null if there is none.
  const Attribute* referenced(const Attribute& attribute) const {
    if (attribute.ref_attr_name().empty()) return nullptr;
    const auto value = attributes_.find(attribute.ref_attr_name());
    return value == attributes_.end() ? nullptr : value->second;
  }

  // Replaces a reference by the value. Returns false if neither the call nor the function has a value. The
  // node then also leaves out the attribute.
  bool resolve(Attribute& attribute) const {
    const Attribute* value = referenced(attribute);
    if (!value) return false;
    if (value->type() != attribute.type())
      invalid("the attribute '" + shown(value->name()) + "' is of another kind than the function says");
    if (value->has_g() || value->graphs_size() > 0)
      unsupported("the attribute '" + shown(value->name()) + "' is a graph");
    const std::string name = attribute.name();
    attribute = *value;
    attribute.set_name(name);
    return true;
  }

  void rewrite(GraphProto& body) {
    of_bodies_.push_back(names_defined_by(body));
    for (auto& input : *body.mutable_input()) input.set_name(name(input.name()));
    for (auto& output : *body.mutable_output()) output.set_name(name(output.name()));
    body.clear_value_info();
    Nodes nodes;
    for (auto& initializer : *body.mutable_initializer()) {
      NodeProto& constant = *nodes.Add();
      constant.set_op_type("Constant");
      constant.add_output(name(initializer.name()));
      Attribute& value = *constant.add_attribute();
      value.set_name("value");
      value.set_type(Attribute::TENSOR);
      *value.mutable_t() = std::move(initializer);
    }
    body.clear_initializer();
    for (auto& node : *body.mutable_node()) {
      rewrite(node);
      *nodes.Add() = std::move(node);
    }
    body.mutable_node()->Swap(&nodes);
    of_bodies_.pop_back();
  }

  const NodeProto& node_;
  const Function& function_;
  const std::string suffix_;
  std::map<std::string_view, std::string_view>
      names_;  // by input or output of the function: its name in the graph
  std::map<std::string_view, const Attribute*> attributes_;  // the value of each attribute of the function
  std::vector<std::pair<std::string_view, std::string_view>> copies_;
  std::vector<std::set<std::string>> of_bodies_;  // the names that the bodies around a node define
};

class Inliner {
 public:
  Inliner(const onnx_proto::ModelProto& model, int64_t opset) : opset_(opset) {
    for (const auto& function : model.functions()) {
      if (is_default_domain(function.domain()))  // its calls would use the converter of the op
        unsupported("the model replaces the op '" + shown(function.name()) + "' by a function of its own");
      if (!functions_.emplace(Key{function.domain(), function.name(), function.overload()}, &function).second)
        invalid("the model has two functions '" + shown(function.name()) + "'");
    }
  }

  void expand(GraphProto& graph, int depth) {
    Nodes nodes;
    nodes.Swap(graph.mutable_node());
    for (NodeProto& node : nodes) add(std::move(node), *graph.mutable_node(), depth);
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // domain, name and overload

  void add(NodeProto&& node, Nodes& to, int depth) {
    const auto called = functions_.find(Key{node.domain(), node.op_type(), node.overload()});
    if (called != functions_.end()) {
      try {
        return add_call(node, *called->second, to, depth);
      } catch (const Error& e) {
        if (depth > 0) throw;
        throw Error(e.code(), "the function '" + shown(node.op_type()) + "': " + text_of(e), "", "");
      }
    }
    for (auto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) expand(*attribute.mutable_g(), depth);
    *to.Add() = std::move(node);
  }

  void add_call(const NodeProto& node, const Function& function, Nodes& to, int depth) {
    if (depth == kMostNested)
      unsupported("its calls are nested more than " + std::to_string(kMostNested) +
                  " times, or a function calls itself");
    const auto [names, is_new] = bytes_of_names_.try_emplace(&function);
    if (is_new) names->second = check_function(function, opset_);
    count(names->second + kBytesOfName * static_cast<size_t>(node.input_size() + node.attribute_size()));
    Call call(node, function, ++calls_);
    for (const NodeProto& inner : function.node()) {
      count(memory_of_inner(inner) + call.growth_of(inner));
      NodeProto copy = inner;
      call.rewrite(copy);
      add(std::move(copy), to, depth + 1);
    }
    for (const auto& [from, copy] : call.copies()) {
      if (from.empty()) invalid("it returns an input that a call leaves out");
      count(kBytesOfNode + from.size() + copy.size());
      NodeProto& identity = *to.Add();
      identity.set_op_type("Identity");
      identity.add_input(std::string(from));
      identity.add_output(std::string(copy));
    }
  }

  // Returns the memory of a node of a function. Each call makes a copy of the node.
  size_t memory_of_inner(const NodeProto& node) {
    const auto [known, is_new] = memory_.try_emplace(&node);
    if (is_new) known->second = memory_of(node, MessageKind::kNode);
    return known->second;
  }

  void count(size_t bytes) {
    bytes_ += bytes;
    if (++nodes_ > kMostNodes || bytes_ > kMostBytes)
      unsupported("the functions of the model become more than " + std::to_string(kMostNodes) +
                  " nodes and calls, or " + std::to_string(kMostBytes) + " bytes");
  }

  std::map<Key, const Function*> functions_;
  std::map<const NodeProto*, size_t> memory_;
  std::map<const Function*, size_t> bytes_of_names_;
  int64_t opset_, calls_ = 0;
  int nodes_ = 0;
  size_t bytes_ = 0;
};

}  // namespace

void inline_functions(onnx_proto::ModelProto& model, int64_t opset) {
  if (model.functions_size() == 0) return;
  Inliner inliner(model, opset);
  check_names(model.graph());
  inliner.expand(*model.mutable_graph(), 0);
  model.clear_functions();
}

}  // namespace cutset::onnx
