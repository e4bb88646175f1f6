// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/values/folder.h"

#include <cutset/session.h>

#include <algorithm>

#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/messages.h"

namespace cutset::onnx {
namespace {

constexpr size_t kMostSteps =
    1024;  // the largest number of steps to compute one value while the graph is built
constexpr size_t kMostOperands = 4096;  // the largest number of operands of these steps
constexpr size_t kMostAsked = 10'000;   // the largest number of such values
// The largest number of steps for all such values together. Each value needs a new session, which takes as
// long as 32 steps.
constexpr size_t kMostWork = 50'000, kSessionWork = 32;
constexpr int64_t kMostElements = 4096;  // the largest number of elements of such a value

// Repeats steps in another graph.
class Repetition final : public ImportContext {
 public:
  Repetition(ValueTable& values, int64_t opset, const ExternalData* files, Folder& folder)
      : ImportContext(opset, files, Graph()), values_(values), folder_(folder) {}

  void repeat(const Step& step) {
    std::vector<Value> results;
    may_be_dropped_ = step.gate > 0;
    if (step.node) {
      std::vector<Value> operands;
      for (const int id : step.operands) operands.push_back(id < 0 ? Value() : value(id));
      Node node(*step.node, std::move(operands), *this);
      results = converter_of(*step.node)(node);
    } else {
      std::vector<Tensor> operands;
      for (const int id : step.operands) operands.push_back(tensor(id));
      for (Tensor& t : step.compute(operands)) results.emplace_back(std::move(t));
    }
    for (size_t i = 0; i < step.results.size() && i < results.size(); ++i)
      if (step.results[i] >= 0) {
        results[i].id = step.results[i];
        repeated_.emplace(step.results[i], std::move(results[i]));
      }
  }
  const std::map<int, Value>& values() const { return repeated_; }

  Tensor tensor(int id) override {
    Value& v = value(id);
    if (!v.tensor.defined()) v.tensor = constant(*v.known);
    return v.tensor;
  }
  // Converters get the elements from the folder, which has computed them before for the whole model.
  const Value& folded(int id) override { return folder_.folded(id); }
  void decide(int, const std::string&) override {}
  std::vector<Assigned*> assigned(const std::vector<int>&) override { return {}; }
  BodyContext* bodies() override { return nullptr; }

 private:
  // Returns a value. If no repeated step computes it, its elements are known.
  Value& value(int id) {
    const auto [found, is_new] = repeated_.try_emplace(id);
    if (is_new) {
      found->second.known = values_[id].known;
      found->second.id = id;
    }
    return found->second;
  }

  ValueTable& values_;
  Folder& folder_;
  std::map<int, Value> repeated_;
};

}  // namespace

const Value& Folder::folded(int id) {
  Value& value = values_[id];
  if (value.known || asked_.contains(id)) return value;
  if (asked_.size() > kMostAsked)
    unsupported("the nodes ask for the elements of more than " + std::to_string(kMostAsked) +
                " values while the graph is built");
  asked_.insert(id);
  const std::vector<int> steps = steps_before(id);
  if (steps.empty()) return value;
  work_ += steps.size() + kSessionWork;
  if (work_ > kMostWork)
    unsupported("the elements that nodes ask for while the graph is built need more than " +
                std::to_string(kMostWork) +
                " steps; have fewer iterations, or conditions and shapes that are constants");
  try {
    compute(id, steps);
  } catch (const Error&) {  // the elements stay unknown, and the node that asks for them is refused
  }
  return value;
}

// Returns the steps that compute the value from known elements, in their order. Returns an empty list if
// there are no such steps, or too many.
std::vector<int> Folder::steps_before(int id) {
  std::vector<int> open = {id};
  std::set<int> seen = {id}, steps;
  while (!open.empty()) {
    const int next = open.back();
    open.pop_back();
    if (values_[next].known) continue;
    const int step = values_.step_of(next);
    if (step < 0 || steps.size() >= kMostSteps) return {};
    if (!steps.insert(step).second) continue;
    for (const int operand : values_.step(step).operands) {
      if (operand >= 0 && seen.insert(operand).second) open.push_back(operand);
      if (seen.size() > kMostOperands) return {};
    }
  }
  return {steps.begin(), steps.end()};
}

// Returns the results of these steps that depend on values for which `on` returns true.
std::set<int> Folder::depending(const std::vector<int>& steps,
                                const std::function<bool(const Value&)>& on) const {
  std::set<int> results;
  for (const int index : steps) {
    const Step& step = values_.step(index);
    const auto depends = [&](int id) { return id >= 0 && (on(values_[id]) || results.contains(id)); };
    if (std::any_of(step.operands.begin(), step.operands.end(), depends))
      results.insert(step.results.begin(), step.results.end());
  }
  return results;
}

// Also keeps intermediate integers, truth values and single floats. The counter of a loop is then computed
// from the counter of the iteration before.
void Folder::compute(int id, const std::vector<int>& steps) {
  Repetition repetition(values_, opset_, files_, *this);
  for (const int step : steps) repetition.repeat(values_.step(step));
  const std::set<int> weighted =
      depending(steps, [](const Value& v) { return v.is_weight || v.from_weights; });
  const std::set<int> given = depending(steps, [](const Value& v) { return v.from_inputs; });
  const auto keep = [&](int kept, std::shared_ptr<const HostTensor> elements) {
    Value& value = values_[kept];
    value.known = std::move(elements);
    value.from_weights = weighted.contains(kept);
    value.from_inputs = given.contains(kept);
  };
  std::map<int, std::string> outputs;
  for (const auto& [result, value] : repetition.values()) {
    if (values_[result].known) continue;
    if (value.known) {
      keep(result, value.known);
    } else if (const TensorType type = value.type();
               type.elements() <= kMostElements &&
               (result == id || !is_float(type.dtype) || type.elements() == 1)) {
      const std::string& name = outputs.emplace(result, "value" + std::to_string(result)).first->second;
      repetition.graph().output(name, value.tensor);
    }
  }
  if (outputs.empty()) return;
  Session session = compile(repetition.graph(), {.devices = "reference:0", .threads = 1});
  const Outputs computed = session.run("evaluate", {});
  for (const auto& [result, name] : outputs) keep(result, std::make_shared<const HostTensor>(computed[name]));
}

}  // namespace cutset::onnx
