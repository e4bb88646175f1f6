#include "frontends/onnx/importer.h"

#include <cutset/session.h>

#include <algorithm>

#include "frontends/cpp/add_variable.h"
#include "frontends/cpp/failure.h"
#include "frontends/cpp/graph_state.h"
#include "frontends/onnx/converters.h"
#include "ir/core/names.h"

namespace cutset::onnx {

constexpr size_t kNodesOfShape = 256;      // the largest number of nodes that compute a value while the graph is built
constexpr size_t kOperandsOfShape = 4096;  // the largest number of operands of these nodes
constexpr size_t kMostComputed = 10'000;  // the largest number of such values: each is computed by a session of its own
constexpr int64_t kElementsOfShape = 4096;  // the largest number of elements of such a value
// What a model of few bytes may ask for: the values of its graph, and the bytes of the elements that converters compute.
constexpr size_t kMostValues = 250'000;
constexpr int64_t kMostKnownBytes = int64_t{1} << 30;

void Importer::raise_refusals() const {
  constexpr size_t kMostReasons = 20;
  if (refusals_.empty()) return;
  throw Error(refusal_code_, "the model has nodes that cannot be imported: " + refusals_.list("node", kMostReasons), "",
              "");
}

Importer::Importer(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes, int64_t opset) : nodes_(nodes) {
  surroundings_.opset = opset;
  graph().state()->imported = true;
  Producers producers;
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string& name : nodes[i].output())
      if (!name.empty()) producers.emplace(name, i);
  producers_ = std::make_shared<const Producers>(std::move(producers));
  set_callbacks();
}

Importer::Importer(const Importer& whole, std::shared_ptr<const Producers> producers)
    : nodes_(whole.nodes_), producers_(std::move(producers)) {
  surroundings_.opset = whole.surroundings_.opset, surroundings_.files = whole.surroundings_.files;
  set_callbacks();
}

void Importer::set_callbacks() {
  surroundings_.known = [this](const std::string& name) { return known(name); };
  surroundings_.tensor = [this](const std::string& name) { return tensor(name); };
  surroundings_.constant = [this](const HostTensor& elements) { return constant(elements); };
}

void Importer::set_file(const std::string& path) { graph().state()->model = path, graph().state()->node = 0; }

void Importer::let_nodes_assign() {
  surroundings_.reserve = [this](const std::vector<std::string>& names) {
    const std::set<std::string> wanted(names.begin(), names.end());
    const auto free = [&](const std::string& name) {
      const auto found = values_.find(name);
      return found != values_.end() && found->second.is_weight && !assigned_.contains(name);
    };
    if (wanted.size() < names.size() || !std::all_of(wanted.begin(), wanted.end(), free)) return false;
    assigned_.insert(wanted.begin(), wanted.end());
    return true;
  };
}

void Importer::define(const std::string& name, Value value) { values_[name] = std::move(value); }

void Importer::define_weight(const std::string& name, HostTensor elements) {
  Value weight(std::move(elements));
  weight.is_weight = true;
  define(name, std::move(weight));
}

void Importer::set_training(bool trainable, std::set<std::string> untrained) {
  trainable_ = trainable, untrained_ = std::move(untrained);
}

void Importer::convert(const std::vector<int>& indices) {
  for (const int i : indices) convert(i);
}

void Importer::convert_all() {
  for (int i = 0; i < nodes_.size(); ++i) convert(i);
}

void Importer::convert(int index) {
  const ::onnx::NodeProto& proto = nodes_[index];
  graph().state()->node = index + 1;
  // An op that combines any number of operands becomes one value per operand.
  if (graph().state()->builder->mark().values + static_cast<size_t>(proto.input_size()) > kMostValues)
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
      if (!name.empty() && found == values_.end())
        invalid("no node before it computes the operand '" + shown(name) + "'");
      operands.push_back(name.empty() ? Value() : found->second);
    }
    const auto converter = converters().find(proto.op_type());
    if (!(proto.domain().empty() || proto.domain() == "ai.onnx") || converter == converters().end())
      unsupported("there is no converter for this op");
    const NameScope scope(graph(), valid_name(proto.name().empty() ? proto.op_type() : proto.name()));
    Node node(proto, std::move(operands), surroundings_);
    std::vector<Value> results = converter->second(node);
    // A model whose operand has no effect was made for another op than the one that is imported.
    if (const int i = node.unread_operand(); i >= 0)
      unsupported("operand " + std::to_string(i) + " ('" + shown(proto.input(i)) + "') has no effect");
    for (int i = 0; i < proto.output_size(); ++i) {
      if (proto.output(i).empty()) continue;
      if (i >= static_cast<int>(results.size()) || !results[static_cast<size_t>(i)])
        unsupported("result " + std::to_string(i) + " is not computed");
      if (values_.contains(proto.output(i))) invalid("the result '" + shown(proto.output(i)) + "' exists already");
      Value& result = results[static_cast<size_t>(i)];
      // Exporters write weights with equal values as one initializer and Identities of it. Each of them is a variable of its own, so that
      // training does not tie them.
      if (result.is_weight)
        result.tensor = Tensor();
      else if (result.known)
        known_bytes_ += result.known->type().bytes();
      define(proto.output(i), std::move(result));
    }
  } catch (const Error& e) {
    // A reason may quote an attribute of the model, which has any length and any characters.
    constexpr size_t kLongestReason = 500;
    const std::string name = proto.name().empty() ? "" : " '" + shown(proto.name()) + "'";
    refusals_.add(shown(proto.op_type()) + ": " + shown(text_of(e), kLongestReason),
                  "node " + std::to_string(index + 1) + name);
    if (e.code() == ErrorCode::kInvalidData) refusal_code_ = ErrorCode::kInvalidData;
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
  if (found == values_.end()) invalid("nothing computes '" + shown(name) + "'");
  Value& value = found->second;
  if (value.tensor) return value.tensor;
  if (value.is_weight)
    value.tensor = add_variable(graph(), variables_.unique(name), value.type(), FirstValue{"", {}, value.known},
                                {.trainable = trainable_ && !untrained_.contains(name)});
  else
    value.tensor = constant(*value.known);
  return value.tensor;
}

const HostTensor* Importer::known(const std::string& name) {
  if (const auto value = values_.find(name); value != values_.end() && value->second.known)
    return value->second.known.get();
  if (computed_.size() > kMostComputed)
    unsupported("the nodes ask for the elements of more than " + std::to_string(kMostComputed) +
                " values while the graph is built");
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
  std::set<std::string> seen = {name};
  std::set<int> nodes;
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    if (const auto value = values_.find(next); value == values_.end() || value->second.known) {
      if (value == values_.end()) return {};
      continue;
    }
    const auto producer = producers_->find(next);
    if (producer == producers_->end() || nodes.size() >= kNodesOfShape) return {};
    if (!nodes.insert(producer->second).second) continue;
    for (const std::string& operand : nodes_[producer->second].input()) {
      if (!operand.empty() && seen.insert(operand).second) open.push_back(operand);
      if (seen.size() > kOperandsOfShape) return {};
    }
  }
  return {nodes.begin(), nodes.end()};
}

std::shared_ptr<const HostTensor> Importer::compute(const std::string& name, const std::vector<int>& indices) {
  Importer part(*this, producers_);
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
