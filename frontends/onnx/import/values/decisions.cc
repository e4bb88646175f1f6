// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/values/decisions.h"

#include <algorithm>

#include "frontends/onnx/import/errors.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {

// A step follows the steps that compute its operands, so one walk from the last step to the first step is
// enough. Elements that are known without weights and inputs, such as the result of Shape, depend on no
// element of the operands. The elements of an intermediate value may have been computed without being kept.
std::map<int, std::string> Decisions::all(const ValueTable& values) const {
  std::map<int, std::string> all = nodes_;
  if (all.empty()) return all;
  for (int i = values.steps() - 1; i >= 0; --i) {
    const Step& step = values.step(i);
    for (const int result : step.results) {
      const auto decides = all.find(result);
      if (decides == all.end()) continue;  // including a result that the node leaves out, which is no value
      const Value& value = values[result];
      if (value.known && !(value.is_weight || value.from_weights || value.from_inputs)) continue;
      for (const int operand : step.operands)
        if (operand >= 0) all.emplace(operand, decides->second);
    }
  }
  return all;
}

namespace {

// Returns these results, and all values whose elements the program reads when it computes them.
std::set<int> read_when_run(const ValueTable& values, const std::vector<int>& results) {
  std::set<int> read(results.begin(), results.end());
  for (int i = values.steps() - 1; i >= 0; --i) {
    const Step& step = values.step(i);
    if (std::any_of(step.results.begin(), step.results.end(), [&](int id) { return read.contains(id); }))
      for (size_t k = 0; k < step.operands.size(); ++k)
        if (step.operands[k] >= 0 && step.reads_operand[k]) read.insert(step.operands[k]);
  }
  return read;
}

}  // namespace

// A copy of a weight shares its elements, so elements stand for a weight and its copies.
std::set<const HostTensor*> weights_that_only_decide(const Decisions& decisions, const ValueTable& values,
                                                     const Weights& weights,
                                                     const std::vector<int>& outputs) {
  std::set<const HostTensor*> read, variables;
  for (const int id : read_when_run(values, outputs))
    if (values[id].is_weight) read.insert(values[id].known.get());
  for (const auto& [id, node] : decisions.all(values)) {
    const Value& value = values[id];
    if (!value.is_weight) continue;
    if (read.contains(value.known.get()))
      unsupported("the elements of the weight '" + shown(weights.name(id)) + "' decide what " + node +
                  " becomes, and the outputs are computed with the weight, which may have other values when "
                  "the program runs; give the two uses initializers of their own");
    if (value.tensor.defined()) variables.insert(value.known.get());
  }
  return variables;
}

}  // namespace cutset::onnx
