// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/inspect/training_loss.h"

#include <algorithm>

#include "frontends/cpp/bridge/listed_function.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/graph/snapshot.h"

namespace cutset::testing {
namespace {

// A copy of the loss of a listed function as a separate graph.
class Copy {
 public:
  // Copies the loss. If `holds` is true, detached values are inputs; otherwise they are outputs.
  Copy(const ListedFunction& listed, const Session& session, bool holds)
      : listed_(listed), session_(session), holds_(holds), values_(listed.types.size()) {
    for (const ListedInput& input : listed.inputs) values_[static_cast<size_t>(input.value)] = copy(input);
    for (const ListedOp& op : listed.ops) copy(op);
    for (const auto& [name, value] : listed.outputs)
      if (name == "loss") graph_.output("loss", at(value));
  }
  const Graph& graph() const { return graph_; }
  const std::string& step_name() const { return step_; }
  const std::vector<std::string>& detached() const { return detached_; }

 private:
  const Tensor& at(int value) const { return values_[static_cast<size_t>(value)]; }
  const TensorType& type_of(int value) const { return listed_.types[static_cast<size_t>(value)]; }

  // Returns a name that no input of the function has.
  std::string free_name(std::string name) const {
    const auto is_input = [&] {
      return std::any_of(listed_.inputs.begin(), listed_.inputs.end(),
                         [&](const ListedInput& i) { return i.name == name; });
    };
    while (is_input()) name += "_";
    return name;
  }

  Tensor copy(const ListedInput& input) {
    const TensorType& type = type_of(input.value);
    if (!input.fed) return graph_.input(input.name, type.dtype, type.shape);
    if (is_float(type.dtype)) return graph_.hyper_parameter(input.name, session_.hyper_parameter(input.name));
    step_ = free_name("step");  // the step of a graph that does not train is 0
    return graph_.input(step_, type.dtype, type.shape);
  }

  OpSource source_of(const ListedOp& op) const { return {op.source, 0, op.layer, ""}; }

  void copy(const ListedOp& op) {
    if (op.results.empty()) return;  // an assignment at the end of the step
    if (op.name == "detach" && is_float(type_of(op.results[0]).dtype)) {
      values_[static_cast<size_t>(op.results[0])] = detach(op);
      return;
    }
    std::vector<BuiltValue> results;
    const auto building = graph_.state()->builder.hold();
    if (op.name == "read") {
      results = {check(building->variable(op.variable, type_of(op.results[0]), {}, true, source_of(op)))};
    } else if (op.name == "constant") {
      results = {check(building->constant(op.elements->type(), op.elements->bytes(), source_of(op)))};
    } else if (op.name == "type_only") {
      results = {check(building->type_only(type_of(op.results[0]), source_of(op)))};
    } else {
      std::vector<int> operands;
      for (int operand : op.operands) operands.push_back(at(operand).value());
      results = check(building->append(op.name, operands, op.attributes, source_of(op)));
    }
    for (size_t i = 0; i < results.size(); ++i)
      values_[static_cast<size_t>(op.results[i])] = Tensor(graph_.state(), results[i].id, results[i].type);
  }

  Tensor detach(const ListedOp& op) {
    const Tensor& x = at(op.operands[0]);
    detached_.push_back(free_name("detached" + std::to_string(detached_.size())));
    if (!holds_) {
      graph_.output(detached_.back(), x);
      return x;
    }
    const Tensor detached = graph_.input(detached_.back(), x.dtype(), x.shape());
    return op.operands.size() < 2 ? detached : where(at(op.operands[1]), x, detached);
  }

  const ListedFunction& listed_;
  const Session& session_;
  const bool holds_;
  Graph graph_;
  std::vector<Tensor> values_;  // by the number in the listed function
  std::string step_;            // the input that is the step; empty: the loss does not read it
  std::vector<std::string> detached_;
};

// Returns a session of the copy, with the variables of the other session.
Session session_of(const Graph& graph, const Session& other) {
  Session session = compile(graph, {.devices = "reference:0", .f64 = true});
  for (const std::string& name : session.variables()) session.set_variable(name, other.variable(name));
  return session;
}

}  // namespace

TrainingLoss::TrainingLoss(const Graph& graph, const Session& session, const Batch& batch) {
  std::map<std::string, Shape> shapes;
  for (const auto& [name, tensor] : batch) shapes[name] = tensor.shape();
  const ListedFunction listed = check(snapshot_of(*graph.state())->list("train", shapes));
  for (const ListedInput& input : listed.inputs)
    if (const auto tensor = batch.find(input.name); tensor != batch.end() && !input.fed)
      batch_.insert(*tensor);
  const Copy copy(listed, session, true);
  if (!copy.step_name().empty()) {
    HostTensor first({DType::i64, {}});
    first.set(0, 1);
    batch_.insert_or_assign(copy.step_name(), first);
  }
  if (!copy.detached().empty()) {
    Session with_detached = session_of(Copy(listed, session, false).graph(), session);
    const Outputs values = with_detached.evaluate(batch_);
    for (const std::string& name : copy.detached()) batch_.insert_or_assign(name, values.at(name));
  }
  session_.emplace(session_of(copy.graph(), session));
  std::erase_if(batch_, [&](const auto& tensor) {
    const auto& inputs = copy.graph().inputs();
    return std::none_of(inputs.begin(), inputs.end(),
                        [&](const auto& input) { return input.first == tensor.first; });
  });
}

void TrainingLoss::set_variable(const std::string& name, const HostTensor& value) {
  const auto names = session_->variables();
  if (std::find(names.begin(), names.end(), name) != names.end()) session_->set_variable(name, value);
}

double TrainingLoss::value() { return session_->evaluate(batch_).at("loss").at(0); }

}  // namespace cutset::testing
