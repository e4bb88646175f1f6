// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/importer.h"

#include <algorithm>
#include <utility>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"
#include "ir/core/names.h"

namespace cutset::onnx {

namespace {

// Sets the scope in which nodes are converted, until the object is destroyed.
class Entered {
 public:
  Entered(const Scope*& current, const Scope& inner)
      : current_(current), outer_(std::exchange(current, &inner)) {}
  ~Entered() { current_ = outer_; }
  Entered(const Entered&) = delete;

 private:
  const Scope*& current_;
  const Scope* outer_;
};

}  // namespace

void Importer::raise_refusals() const {
  constexpr size_t kMostReasons = 20;
  if (refusals_.empty()) return;
  throw Error(refusal_code_,
              "the model has nodes that cannot be imported: " + refusals_.list("node", kMostReasons), "", "");
}

Importer::Importer(const onnx_proto::GraphProto& graph, int64_t opset, const ExternalData* files,
                   Weights weights, Graph into)
    : ImportContext(opset, files, std::move(into)),
      graph_(graph),
      limits_(ImportContext::graph()),
      folder_(values_, opset, files),
      weights_(std::move(weights)) {}

void Importer::set_file(const std::string& path) { graph().state()->set_source(path); }

std::vector<Assigned*> Importer::assigned(const std::vector<int>& weights) {
  return scope_->depth() == 0 ? weights_.assigned(weights) : std::vector<Assigned*>();
}

void Importer::define(const std::string& name, Value value) {
  const bool is_known_input = value.from_inputs;
  const int id = values_.add(std::move(value));
  main_.define(name, id);
  if (is_known_input) known_inputs_.emplace(id, name);
}

void Importer::define_initializers(const Initializers& initializers) {
  for (const auto& [graph, members] : initializers)
    for (const auto& [name, value] : members) {
      const int id = values_.add(value);
      if (value.is_weight) {
        weights_.add(id, *graph, name);
        variables_.keep(name);
      }
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
  raise_refusals();
  weights_.assign(graph());
}

void Importer::convert(const onnx_proto::NodeProto& proto, Scope& scope) {
  limits_.check(proto);
  if (scope.depth() > 0) limits_.count_unrolled(proto);
  Step step;
  step.node = &proto;
  step.gate = gates_.innermost();
  bool converted = false;
  try {
    converted = convert_step(proto, step, scope);
  } catch (const Error& e) {
    if (limits_.exceeded()) throw;
    refuse(proto, text_of(e));
    if (e.code() == ErrorCode::kInvalidData) refusal_code_ = ErrorCode::kInvalidData;
    refuse_unknown_ops(proto);
  }
  if (converted) return;
  for (const std::string& name : proto.output())
    if (!name.empty() && !scope.has(name)) scope.define(name, Scope::kMissing);
}

bool Importer::convert_step(const onnx_proto::NodeProto& proto, Step& step, Scope& scope) {
  const Converter convert_node = converter_of(proto);
  if (!convert_node) unsupported(why_not_converted(proto));
  std::vector<Value> operands;
  for (const std::string& name : proto.input()) {
    const std::optional<int> id = name.empty() ? -1 : scope.find(name);
    if (!id) invalid("no node before it computes the operand '" + shown(name) + "'");
    if (*id == Scope::kMissing) {
      refuse_unknown_ops(proto);
      return false;
    }
    step.operands.push_back(*id);
    operands.push_back(*id < 0 ? Value() : values_[*id]);
  }
  const auto earlier = converted_.find(&proto);
  // A node with the same operands as in an earlier iteration has the same results, if the gate of the earlier
  // iteration is open. Outside of this gate, the results are not used, because a node that may be dropped is
  // not checked, and because the gradients of its results depend on the condition of the gate.
  if (earlier != converted_.end() && earlier->second->operands == step.operands &&
      gates_.is_open(earlier->second->gate)) {
    for (int i = 0; i < proto.output_size(); ++i)
      define_result(proto.output(i), earlier->second->results[static_cast<size_t>(i)], scope);
    return true;
  }
  const NameScope layer(graph(), valid_name(proto.name().empty() ? proto.op_type() : proto.name()));
  const int64_t incomplete = incomplete_bodies_;
  Node node(proto, std::move(operands), *this);
  std::vector<Value> results = convert_node(node);
  if (incomplete_bodies_ > incomplete) return false;
  // If an operand has no effect, the model was made for another op than the converter implements.
  if (const int i = node.unread_operand(); i >= 0)
    unsupported("operand " + std::to_string(i) + " ('" + shown(proto.input(i)) + "') has no effect");
  check_attributes(node);
  // A node with bodies is not a step, because the nodes of its bodies are steps. A node that reads or makes a
  // sequence is not a step, because the ops that it adds for the tensors are steps.
  const bool is_step =
      bodies_of(proto).empty() && !node.reads_sequence() &&
      std::ranges::none_of(results, [](const Value& result) { return result.sequence != nullptr; });
  define_results(proto, results, is_step, step, scope);
  if (!is_step) return true;
  step.reads_operand = node.reads_operand();
  const Step& added = values_.step(values_.add_step(std::move(step)));
  if (scope.depth() > 0) converted_[&proto] = &added;
  return true;
}

// Adds the results of a node to the scope and to `step`.
void Importer::define_results(const onnx_proto::NodeProto& proto, std::vector<Value>& results, bool is_step,
                              Step& step, Scope& scope) {
  for (int i = 0; i < proto.output_size(); ++i) {
    const std::string& name = proto.output(i);
    step.results.push_back(-1);
    if (name.empty()) continue;
    if (i >= static_cast<int>(results.size()) || !results[static_cast<size_t>(i)])
      unsupported("result " + std::to_string(i) + " is not computed");
    Value& result = results[static_cast<size_t>(i)];
    // Exporters write weights with equal values as one initializer and nodes Identity. Each result of
    // Identity becomes a separate variable, so that training does not tie the weights. In a body, Identity
    // passes a weight on to the next iteration.
    const bool copies = result.is_weight && scope.depth() == 0 && is_step;
    if (copies) {
      result.tensor = Tensor();
      result.id = -1;
    }
    if (result.id < 0 && result.known && !result.is_weight)
      limits_.count_known_bytes(result.known->type().bytes());
    const int id = id_of(result);
    if (copies) weights_.add(id, graph_, name);
    define_result(name, id, scope);
    step.results.back() = id;
  }
}

// Versions of an op differ in their attributes. An attribute that the converter did not read may change what
// the op computes.
void Importer::check_attributes(const Node& node) const {
  if (opset() < 6) node.ignore({"consumed_inputs"});  // which operands an op may overwrite
  if (const std::string* name = node.unread_attribute())
    unsupported("the attribute '" + shown(*name) + "' is not one that this op has in version " +
                std::to_string(opset()) +
                " of the operator set, or it is not supported; remove it if it has no effect, or convert the "
                "model to another version with onnx.version_converter");
}

void Importer::define_result(const std::string& name, int id, Scope& scope) {
  if (name.empty()) return;
  if (scope.find(name)) invalid("the result '" + shown(name) + "' exists already");
  scope.define(name, id);
}

void Importer::refuse(const onnx_proto::NodeProto& proto, const std::string& why) {
  // A reason may quote an attribute of the model, which may have any length and any characters.
  constexpr size_t kLongestReason = 500;
  const std::string name = proto.name().empty() ? "" : " '" + shown(proto.name()) + "'",
                    number = "node " + std::to_string(graph().state()->node),
                    domain = is_default_domain(proto.domain()) ? "" : shown(proto.domain()) + ".";
  refusals_.add(domain + shown(proto.op_type()) + ": " + shown(why, kLongestReason),
                scope_->depth() == 0 ? number + name : "a node" + name + " in a body of " + number);
}

// The bodies of a refused node are not converted, but their unknown ops also belong in the list.
void Importer::refuse_unknown_ops(const onnx_proto::NodeProto& proto) {
  for (const onnx_proto::GraphProto* body : bodies_of(proto))
    for (const auto& node : body->node()) {
      if (!converter_of(node)) refuse(node, why_not_converted(node));
      refuse_unknown_ops(node);
    }
}

std::optional<std::vector<Value>> Importer::convert_body(const onnx_proto::GraphProto& body,
                                                         const std::map<std::string, Value>& inputs,
                                                         const std::string& label) {
  Scope scope(scope_);
  if (scope.depth() > kMostNested)
    unsupported("bodies are nested in each other more than " + std::to_string(kMostNested) + " times");
  const auto& initializers = initializers_[&body];
  limits_.count_unrolled(1 + body.output_size() + static_cast<int64_t>(inputs.size() + initializers.size()));
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
  step.reads_operand.assign(operands.size(), true);
  values_.add_step(std::move(step));
  return results;
}

Tensor Importer::tensor(const std::string& name) {
  const std::optional<int> id = main_.find(name);
  if (!id || *id == Scope::kMissing) invalid("nothing computes '" + shown(name) + "'");
  if (values_[*id].sequence) unsupported("the output '" + shown(name) + "' is a sequence of tensors");
  return tensor(*id);
}

Tensor Importer::tensor(int id) {
  Value& value = values_[id];
  if (value.sequence) unsupported("a node needs a tensor, and the value is a sequence of tensors");
  if (!value.tensor.defined())
    value.tensor =
        value.is_weight ? weights_.variable(graph(), variables_, id, value) : constant(*value.known);
  return gates_.read(id, value.tensor);
}

void Importer::begin_dropping(const Value& condition, bool kept_if) {
  gates_.begin(tensor(id_of(condition)), kept_if, values_);
  may_be_dropped_ = true;
}

void Importer::end_dropping() {
  gates_.end();
  may_be_dropped_ = gates_.innermost() > 0;
}

std::set<const HostTensor*> Importer::weights_that_only_decide() const {
  std::vector<int> outputs;
  for (const auto& output : graph_.output()) outputs.push_back(*main_.find(output.name()));
  return onnx::weights_that_only_decide(decisions_, values_, weights_, outputs);
}

std::set<std::string> Importer::inputs_that_decide() const {
  std::set<std::string> names;
  if (known_inputs_.empty()) return names;
  for (const auto& [id, node] : decisions_.all(values_))
    if (const auto input = known_inputs_.find(id); input != known_inputs_.end()) names.insert(input->second);
  return names;
}

}  // namespace cutset::onnx
