#include "frontends/onnx/import/weights.h"

#include <algorithm>

#include "frontends/cpp/add_variable.h"
#include "frontends/cpp/first_values.h"

namespace cutset::onnx {

Tensor Weights::variable(Graph& graph, Names& variables, int id, const Value& value) const {
  return add_variable(graph, variables.unique(name(id)), value.type(), FirstValue{"", {}, value.known},
                      {.trainable = trainable_ && !untrained_.contains(names_.at(id))});
}

bool Weights::reserve(const std::vector<int>& ids) {
  const std::set<int> wanted(ids.begin(), ids.end());
  const auto free = [&](int id) { return names_.contains(id) && !reserved_.contains(id); };
  if (!assignable_ || wanted.size() < ids.size() || !std::all_of(wanted.begin(), wanted.end(), free)) return false;
  reserved_.insert(wanted.begin(), wanted.end());
  return true;
}

}  // namespace cutset::onnx
