#include "frontends/onnx/importer.h"

#include <cutset/session.h>

#include <algorithm>

#include "frontends/cpp/add_variable.h"
#include "frontends/cpp/graph_state.h"
#include "frontends/onnx/converters.h"
#include "ir/core/names.h"

namespace cutset::onnx {

constexpr size_t kNodesOfShape = 256;       // the largest number of nodes that compute a value while the graph is built
constexpr int64_t kElementsOfShape = 4096;  // the largest number of elements of such a value
// What a model of few bytes may ask for: the values of its graph, and the bytes of the elements that converters compute.
constexpr size_t kMostValues = 4'000'000;
constexpr int64_t kMostKnownBytes = int64_t{1} << 30;

void Refusals::add(const std::string& op, const Error& error) {
  ++counts[op + ": " + text_of(error)];
  if (error.code() == ErrorCode::kInvalidData) code = ErrorCode::kInvalidData;
}

void Refusals::raise() const {
  if (counts.empty()) return;
  std::string all;
  for (const auto& [reason, count] : counts)
    all += (all.empty() ? "" : "; ") + std::to_string(count) + (count == 1 ? " node " : " nodes ") + reason;
  throw Error(code, "the model has nodes that cannot be imported: " + all, "", "");
}

Importer::Importer(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes, int64_t opset) : nodes_(nodes) {
  surroundings_.opset = opset;
  surroundings_.known = [this](const std::string& name) { return known(name); };
  surroundings_.tensor = [this](const std::string& name) { return tensor(name); };
  surroundings_.constant = [this](const HostTensor& elements) { return constant(elements); };
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string& name : nodes[i].output())
      if (!name.empty()) producers_.emplace(name, i);
}

void Importer::let_nodes_assign() {
  surroundings_.claim = [this](const std::string& name) {
    return weights_.contains(name) && claimed_.insert(name).second;
  };
}

void Importer::define(const std::string& name, Value value) { values_[name] = std::move(value); }

void Importer::define_weight(const std::string& name, HostTensor elements, bool trainable) {
  define(name, std::move(elements));
  weights_[name] = trainable;
}

void Importer::convert(const std::vector<int>& indices) {
  for (const int i : indices) convert(i);
}

void Importer::convert_all() {
  for (int i = 0; i < nodes_.size(); ++i) convert(i);
}

void Importer::convert(int index) {
  const ::onnx::NodeProto& proto = nodes_[index];
  if (graph().state()->builder->mark().values > kMostValues)
    unsupported("the nodes of the model become more than " + std::to_string(kMostValues) + " values");
  if (known_bytes_ > kMostKnownBytes)
    unsupported("the nodes of the model compute more than 2^30 bytes while the graph is built");
  try {
    std::vector<Value> operands;
    for (const std::string& name : proto.input()) {
      if (!name.empty() && missing_.contains(name)) {
        missing_.insert(proto.output().begin(), proto.output().end());
        return;
      }
      const auto found = values_.find(name);
      if (!name.empty() && found == values_.end()) invalid("no node before it computes the operand '" + name + "'");
      operands.push_back(name.empty() ? Value() : found->second);
    }
    const auto converter = converters().find(proto.op_type());
    if (!(proto.domain().empty() || proto.domain() == "ai.onnx") || converter == converters().end())
      unsupported("there is no converter for this op");
    const NameScope scope(graph(), valid_name(proto.name().empty() ? proto.op_type() : proto.name()));
    Node node(proto, std::move(operands), surroundings_);
    std::vector<Value> results = converter->second(node);
    for (int i = 0; i < proto.output_size(); ++i) {
      if (proto.output(i).empty()) continue;
      if (i >= static_cast<int>(results.size()) || !results[static_cast<size_t>(i)])
        unsupported("result " + std::to_string(i) + " is not computed");
      if (values_.contains(proto.output(i))) invalid("the result '" + proto.output(i) + "' exists already");
      Value& result = results[static_cast<size_t>(i)];
      if (result.known) known_bytes_ += result.known->type().bytes();
      define(proto.output(i), std::move(result));
    }
  } catch (const Error& e) {
    const bool printable = is_printable(proto.op_type()) && proto.op_type().size() < 64;
    refusals_.add(printable ? proto.op_type() : "of an op whose name is not printable", e);
    missing_.insert(proto.output().begin(), proto.output().end());
  }
}

// Constants are limited to 1 KiB, so other elements become variables. There are no constants of truth values.
Tensor Importer::constant(const HostTensor& elements) {
  if (elements.dtype() == DType::i1) {
    const std::span<const unsigned char> bytes = elements.bytes();
    return cast(constant(HostTensor({DType::u8, elements.shape()}, {bytes.begin(), bytes.end()})),
                {.dtype = DType::i1});
  }
  if (elements.type().bytes() <= 1024) return graph().constant(elements);
  return graph().variable(variables_.unique("constant"), elements, {.trainable = false});
}

Tensor Importer::tensor(const std::string& name) {
  const auto found = values_.find(name);
  if (found == values_.end()) invalid("nothing computes '" + name + "'");
  Value& value = found->second;
  if (value.tensor) return value.tensor;
  if (const auto weight = weights_.find(name); weight == weights_.end())
    value.tensor = constant(*value.known);
  else
    value.tensor = add_variable(graph(), variables_.unique(name), value.type(), FirstValue{"", {}, value.known},
                                {.trainable = weight->second});
  return value.tensor;
}

const HostTensor* Importer::known(const std::string& name) {
  if (const auto value = values_.find(name); value != values_.end() && value->second.known)
    return value->second.known.get();
  const auto [cached, is_new] = computed_.try_emplace(name);
  if (is_new)
    if (const std::vector<int> before = nodes_before(name); !before.empty()) {
      auto elements = compute(name, before);
      computed_[name] = std::move(elements);
    }
  return computed_[name].get();
}

// The nodes from which known elements lead to the value; empty if there are none, or too many.
std::vector<int> Importer::nodes_before(const std::string& name) {
  std::vector<std::string> open = {name};
  std::set<int> nodes;
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    if (next.empty()) continue;
    if (const auto value = values_.find(next); value == values_.end() || value->second.known) {
      if (value == values_.end()) return {};
      continue;
    }
    const auto producer = producers_.find(next);
    if (producer == producers_.end() || nodes.size() >= kNodesOfShape) return {};
    if (nodes.insert(producer->second).second)
      for (const std::string& operand : nodes_[producer->second].input()) open.push_back(operand);
  }
  return {nodes.begin(), nodes.end()};
}

std::shared_ptr<const HostTensor> Importer::compute(const std::string& name, const std::vector<int>& indices) {
  Importer part(nodes_, surroundings_.opset);
  for (const int i : indices)
    for (const std::string& operand : nodes_[i].input())
      if (const auto value = values_.find(operand); value != values_.end() && value->second.known)
        part.values_[operand].known = value->second.known;
  part.convert(indices);
  const auto found = part.values_.find(name);
  if (found == part.values_.end()) return nullptr;
  if (found->second.known) return found->second.known;
  if (found->second.type().elements() > kElementsOfShape) return nullptr;
  part.graph().output("value", found->second.tensor);
  Session session = compile(part.graph(), {.devices = "reference:0", .threads = 1});
  return std::make_shared<const HostTensor>(session.run("evaluate", {})["value"]);
}

}  // namespace cutset::onnx
