// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/label_classes.h"

#include <algorithm>
#include <string_view>

namespace cutset {

// Whether the op converts integers to another type of integers, which keeps the values that are labels or
// indices.
static bool converts_integers(const OpInfo& op, const std::vector<Tensor>& operands,
                              const std::vector<Tensor>& results) {
  return std::string_view(op.name) == "cast" && !is_float(operands[0].dtype()) &&
         !is_float(results[0].dtype()) && results[0].dtype() != DType::i1;
}

void LabelClasses::add_op(const OpInfo& op, const std::vector<Tensor>& operands, const Attributes& attributes,
                          const std::vector<Tensor>& results) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto input = operands[i].defined() ? inputs_.find(operands[i].value()) : inputs_.end();
    if (input == inputs_.end()) continue;
    if ((op.view || converts_integers(op, operands, results)) && i == 0) {
      const std::string name = input->second;
      for (const Tensor& r : results) inputs_.emplace(r.value(), name);
      continue;
    }
    const std::string_view role = i < op.operands.size() ? op.operands[i].name : "";
    if (role != "labels" && role != "indices") continue;
    // The shape of the logits, or of the data that indices select from.
    const Shape& shape = operands[0].shape();
    int64_t classes = shape.empty() ? 0 : role == "labels" ? shape.back() : shape.front();
    for (const auto& [name, value] : attributes) {
      if (name == "depth" && role == "labels") classes = std::get<int64_t>(value);
      if (name == "axis" && role == "indices" && !shape.empty()) {
        const auto axis = std::get<int64_t>(value), rank = static_cast<int64_t>(shape.size());
        classes = shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
      }
    }
    if (role == "labels") labels_.insert(input->second);
    add_classes(input->second, classes);
  }
}

void LabelClasses::add_labels(int value, int64_t classes) {
  const auto input = inputs_.find(value);
  if (input == inputs_.end()) return;
  labels_.insert(input->second);
  add_classes(input->second, classes);
}

void LabelClasses::add_classes(const std::string& name, int64_t classes) {
  const auto [known, first] = classes_.emplace(name, classes);
  if (!first) known->second = std::min(known->second, classes);
}

}  // namespace cutset
