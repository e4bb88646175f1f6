#include "frontends/onnx/importer.h"

#include <algorithm>
#include <utility>

#include "frontends/cpp/add_variable.h"
#include "frontends/cpp/failure.h"
#include "frontends/cpp/graph_state.h"
#include "frontends/onnx/body.h"
#include "frontends/onnx/constant_tensor.h"
#include "frontends/onnx/converters.h"
#include "ir/core/names.h"

namespace cutset::onnx {

// What a model of few bytes may ask for, beside kMostUnrolled: the values of its graph, the bytes of the elements that converters compute,
// and the bodies inside each other. A message of Protocol Buffers nests about 30 bodies.
constexpr size_t kMostValues = 250'000;
constexpr int64_t kMostKnownBytes = int64_t{1} << 30;
constexpr int kMostNested = 20;

namespace {

// Makes a scope that of the nodes that are converted, while the object lives.
class Entered {
 public:
  Entered(const Scope*& current, const Scope& inner) : current_(current), outer_(std::exchange(current, &inner)) {}
  ~Entered() { current_ = outer_; }
  Entered(const Entered&) = delete;

 private:
  const Scope*& current_;
  const Scope* outer_;
};

bool has_converter(const ::onnx::NodeProto& node) {
  return is_default_domain(node.domain()) && converters().contains(node.op_type());
}

}  // namespace

void Importer::raise_refusals() const {
  constexpr size_t kMostReasons = 20;
  if (refusals_.empty()) return;
  throw Error(refusal_code_, "the model has nodes that cannot be imported: " + refusals_.list("node", kMostReasons), "",
              "");
}

Importer::Importer(const ::onnx::GraphProto& graph, int64_t opset, const ExternalData* files)
    : graph_(graph), folder_(values_, opset, files) {
  surroundings_.opset = opset, surroundings_.files = files;
  surroundings_.graph.state()->imported = true;
  set_callbacks();
}

void Importer::set_callbacks() {
  surroundings_.reserve = [this](const std::vector<int>& weights) { return reserve(weights); };
  surroundings_.folded = [this](int id) -> const Value& { return folder_.folded(id); };
  surroundings_.tensor = [this](int id) { return tensor(id); };
  surroundings_.constant = [this](const HostTensor& elements) {
    return constant_tensor(graph(), variables_, elements);
  };
  surroundings_.compute = [this](const std::vector<Value>& operands, const Compute& ops) {
    return compute(operands, ops);
  };
  surroundings_.convert_body = [this](const ::onnx::GraphProto& body, const std::map<std::string, Value>& inputs,
                                      const std::string& label) { return convert_body(body, inputs, label); };
  surroundings_.count_values = [this](int64_t more) { count_unrolled(more); };
}

void Importer::set_file(const std::string& path) { graph().state()->model = path, graph().state()->node = 0; }

bool Importer::reserve(const std::vector<int>& weights) {
  const std::set<int> wanted(weights.begin(), weights.end());
  const auto free = [&](int id) { return id >= 0 && values_[id].is_weight && !assigned_.contains(id); };
  if (!nodes_assign_ || scope_->depth() > 0 || wanted.size() < weights.size() ||
      !std::all_of(wanted.begin(), wanted.end(), free))
    return false;
  assigned_.insert(wanted.begin(), wanted.end());
  return true;
}

void Importer::define(const std::string& name, Value value) { main_.define(name, values_.add(std::move(value))); }

void Importer::define_initializers(Initializers initializers, bool trainable, std::set<std::string> untrained) {
  trainable_ = trainable, untrained_ = std::move(untrained);
  for (auto& [graph, members] : initializers)
    for (auto& [name, value] : members) {
      const bool is_weight = value.is_weight;
      const int id = values_.add(std::move(value));
      if (is_weight) weights_.emplace(id, name);
      if (graph == &graph_)
        main_.define(name, id);
      else
        initializers_[graph].emplace_back(name, id);
    }
}

void Importer::convert_all() {
  for (const auto& node : graph_.node()) {
    ++graph().state()->node;
    convert(node, main_);
  }
}

void Importer::end_import(const std::string& why) {
  ended_ = true;
  const std::string layer = graph().state()->names.joined();
  unsupported(why + (layer.empty() ? "" : "; the last one is in '" + shown(layer) + "'"));
}

void Importer::check_limits(const ::onnx::NodeProto& node) {
  // An op that combines any number of operands becomes one value per operand.
  if (graph().state()->builder->mark().values + static_cast<size_t>(node.input_size()) > kMostValues)
    end_import("the nodes of the model become more than " + std::to_string(kMostValues) + " values");
  if (known_bytes_ > kMostKnownBytes)
    end_import("the nodes of the model compute more than 2^30 bytes while the graph is built");
}

void Importer::count_unrolled(int64_t more) {
  if (more > kMostUnrolled - unrolled_)
    end_import("the bodies of If, Loop and Scan become more than " + std::to_string(kMostUnrolled) +
               " nodes, operands and results when they are unrolled; the model needs fewer iterations");
  unrolled_ += more;
}

// A node with long attributes takes as long as several nodes.
void Importer::count_unrolled(const ::onnx::NodeProto& node) {
  int64_t& size = sizes_[&node];
  if (size == 0) size = 1 + node.input_size() + node.output_size() + static_cast<int64_t>(node.ByteSizeLong() / 1024);
  count_unrolled(size);
}

void Importer::convert(const ::onnx::NodeProto& proto, Scope& scope) {
  check_limits(proto);
  if (scope.depth() > 0) count_unrolled(proto);
  Step step;
  step.node = &proto, step.may_be_dropped = surroundings_.may_be_dropped;
  bool converted = false;
  try {
    converted = convert_step(proto, step, scope);
  } catch (const Error& e) {
    if (ended_) throw;
    refuse(proto, text_of(e));
    if (e.code() == ErrorCode::kInvalidData) refusal_code_ = ErrorCode::kInvalidData;
    refuse_unknown_ops(proto);
  }
  if (converted) return;
  for (const std::string& name : proto.output())
    if (!name.empty() && !scope.has(name)) scope.define(name, Scope::kMissing);
}

bool Importer::convert_step(const ::onnx::NodeProto& proto, Step& step, Scope& scope) {
  std::vector<Value> operands;
  for (const std::string& name : proto.input()) {
    const std::optional<int> id = name.empty() ? -1 : scope.find(name);
    if (!id) invalid("no node before it computes the operand '" + shown(name) + "'");
    if (*id == Scope::kMissing) return false;
    step.operands.push_back(*id);
    operands.push_back(*id < 0 ? Value() : values_[*id]);
  }
  if (!has_converter(proto)) unsupported("there is no converter for this op");
  const auto earlier = converted_.find(&proto);
  // What is converted where its results may be dropped lacks checks.
  if (earlier != converted_.end() && earlier->second->operands == step.operands &&
      earlier->second->may_be_dropped <= step.may_be_dropped) {
    for (int i = 0; i < proto.output_size(); ++i)
      define_result(proto.output(i), earlier->second->results[static_cast<size_t>(i)], scope);
    return true;
  }
  const NameScope layer(graph(), valid_name(proto.name().empty() ? proto.op_type() : proto.name()));
  const int64_t incomplete = incomplete_bodies_;
  Node node(proto, std::move(operands), surroundings_);
  std::vector<Value> results = converters().at(proto.op_type())(node);
  if (incomplete_bodies_ > incomplete) return false;
  // A model whose operand has no effect was made for another op than the one that is imported.
  if (const int i = node.unread_operand(); i >= 0)
    unsupported("operand " + std::to_string(i) + " ('" + shown(proto.input(i)) + "') has no effect");
  const bool has_bodies = !bodies_of(proto).empty();
  for (int i = 0; i < proto.output_size(); ++i) {
    const std::string& name = proto.output(i);
    step.results.push_back(-1);
    if (name.empty()) continue;
    if (i >= static_cast<int>(results.size()) || !results[static_cast<size_t>(i)])
      unsupported("result " + std::to_string(i) + " is not computed");
    Value& result = results[static_cast<size_t>(i)];
    // Exporters write weights with equal values as one initializer and Identities of it. Each of them is a variable of its own, so that
    // training does not tie them. In a body, an Identity passes a weight on to the next iteration.
    const bool copies = result.is_weight && scope.depth() == 0 && !has_bodies;
    if (copies) result.tensor = Tensor(), result.id = -1;
    if (result.id < 0 && result.known && !result.is_weight) known_bytes_ += result.known->type().bytes();
    const int id = id_of(result);
    if (copies) weights_.emplace(id, name);
    define_result(name, id, scope);
    step.results.back() = id;
  }
  if (has_bodies) return true;  // the nodes of the bodies are steps
  const Step& added = values_.step(values_.add_step(std::move(step)));
  if (scope.depth() > 0) converted_[&proto] = &added;
  return true;
}

void Importer::define_result(const std::string& name, int id, Scope& scope) {
  if (name.empty()) return;
  if (scope.find(name)) invalid("the result '" + shown(name) + "' exists already");
  scope.define(name, id);
}

void Importer::refuse(const ::onnx::NodeProto& proto, const std::string& why) {
  // A reason may quote an attribute of the model, which has any length and any characters.
  constexpr size_t kLongestReason = 500;
  const std::string name = proto.name().empty() ? "" : " '" + shown(proto.name()) + "'",
                    number = "node " + std::to_string(graph().state()->node);
  refusals_.add(shown(proto.op_type()) + ": " + shown(why, kLongestReason),
                scope_->depth() == 0 ? number + name : "a node" + name + " in a body of " + number);
}

// The bodies of a node that is refused are not converted, but their nodes belong in the list, too.
void Importer::refuse_unknown_ops(const ::onnx::NodeProto& proto) {
  for (const ::onnx::GraphProto* body : bodies_of(proto))
    for (const auto& node : body->node()) {
      if (!has_converter(node)) refuse(node, "there is no converter for this op");
      refuse_unknown_ops(node);
    }
}

std::optional<std::vector<Value>> Importer::convert_body(const ::onnx::GraphProto& body,
                                                         const std::map<std::string, Value>& inputs,
                                                         const std::string& label) {
  Scope scope(scope_);
  if (scope.depth() > kMostNested)
    unsupported("bodies are nested in each other more than " + std::to_string(kMostNested) + " times");
  const auto& initializers = initializers_[&body];
  count_unrolled(1 + body.output_size() + static_cast<int64_t>(inputs.size() + initializers.size()));
  for (const auto& [name, value] : inputs) scope.define(name, id_of(value));
  for (const auto& [name, id] : initializers) scope.define(name, id);
  const NameScope layer(graph(), label);
  const size_t refusals = refusals_.count();
  {
    const Entered entered(scope_, scope);
    for (const auto& node : body.node()) convert(node, scope);
  }
  bool complete = refusals_.count() == refusals;
  std::vector<Value> outputs;
  for (const auto& output : body.output()) {
    const std::optional<int> id = scope.find(output.name());
    if (!id) invalid("nothing computes the output '" + shown(output.name()) + "' of the body");
    complete = complete && *id != Scope::kMissing;
    if (complete) outputs.push_back(values_[*id]);
  }
  if (complete) return outputs;
  ++incomplete_bodies_;
  return std::nullopt;
}

std::vector<Value> Importer::compute(const std::vector<Value>& operands, const Compute& ops) {
  Step step;
  std::vector<Tensor> tensors;
  for (const Value& operand : operands) {
    step.operands.push_back(id_of(operand));
    tensors.push_back(tensor(step.operands.back()));
  }
  for (Tensor& result : ops(tensors)) step.results.push_back(values_.add(std::move(result)));
  std::vector<Value> results;
  for (const int id : step.results) results.push_back(values_[id]);
  step.compute = ops;
  values_.add_step(std::move(step));
  return results;
}

Tensor Importer::tensor(const std::string& name) {
  const std::optional<int> id = main_.find(name);
  if (!id || *id == Scope::kMissing) invalid("nothing computes '" + shown(name) + "'");
  return tensor(*id);
}

Tensor Importer::tensor(int id) {
  Value& value = values_[id];
  if (value.tensor) return value.tensor;
  if (value.is_weight) {
    const std::string& name = weights_.at(id);
    value.tensor = add_variable(graph(), variables_.unique(name), value.type(), FirstValue{"", {}, value.known},
                                {.trainable = trainable_ && !untrained_.contains(name)});
  } else {
    value.tensor = constant_tensor(graph(), variables_, *value.known);
  }
  return value.tensor;
}

}  // namespace cutset::onnx
