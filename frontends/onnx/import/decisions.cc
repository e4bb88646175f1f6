#include "frontends/onnx/import/decisions.h"

#include <algorithm>

namespace cutset::onnx {

// A step follows the steps that compute its operands, so one walk from the last step to the first one reaches everything.
std::map<int, std::string> Decisions::all(const ValueTable& values) const {
  std::map<int, std::string> all = nodes_;
  if (all.empty()) return all;
  for (int i = values.steps() - 1; i >= 0; --i) {
    const Step& step = values.step(i);
    for (const int result : step.results)
      if (const auto decides = all.find(result); decides != all.end())
        for (const int operand : step.operands)
          if (operand >= 0) all.emplace(operand, decides->second);
  }
  return all;
}

std::set<int> computed_with(const ValueTable& values, const std::vector<int>& results) {
  std::set<int> read(results.begin(), results.end());
  for (int i = values.steps() - 1; i >= 0; --i) {
    const Step& step = values.step(i);
    if (std::any_of(step.results.begin(), step.results.end(), [&](int id) { return read.contains(id); }))
      for (size_t k = 0; k < step.operands.size(); ++k)
        if (step.operands[k] >= 0 && step.computed_with[k]) read.insert(step.operands[k]);
  }
  return read;
}

}  // namespace cutset::onnx
