#include "frontends/cpp/label_classes.h"

#include <algorithm>
#include <string_view>

namespace cutset {

void LabelClasses::add_op(const OpInfo& op, const std::vector<Tensor>& operands, const Attributes& attributes,
                          const std::vector<Tensor>& results) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto input = operands[i] ? inputs_.find(operands[i].value()) : inputs_.end();
    if (input == inputs_.end()) continue;
    if (op.view && i == 0) {
      const std::string name = input->second;
      for (const Tensor& r : results) inputs_.emplace(r.value(), name);
      continue;
    }
    if (i >= op.operands.size() || std::string_view(op.operands[i].name) != "labels") continue;
    int64_t classes = operands[0].shape().empty() ? 0 : operands[0].shape().back();
    for (const auto& [name, value] : attributes)
      if (name == "depth") classes = std::get<int64_t>(value);
    const auto [known, first] = classes_.emplace(input->second, classes);
    if (!first) known->second = std::min(known->second, classes);
  }
}

}  // namespace cutset
