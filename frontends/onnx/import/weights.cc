#include "frontends/onnx/import/weights.h"

#include <algorithm>

#include "frontends/cpp/add_variable.h"
#include "frontends/cpp/failure.h"
#include "frontends/cpp/first_values.h"
#include "frontends/cpp/graph_state.h"
#include "frontends/onnx/import/errors.h"

namespace cutset::onnx {

Tensor Weights::variable(Graph& graph, Names& variables, int id, const Value& value) const {
  return add_variable(graph, variables.unique(name(id)), value.type(), FirstValue{"", {}, value.known},
                      {.trainable = trainable_ && !untrained_.contains(names_.at(id))});
}

Assigned* Weights::assigned(const std::vector<int>& ids) {
  const std::set<int> wanted(ids.begin(), ids.end());
  const auto is_weight = [&](int id) { return names_.contains(id); };
  if (!assignable_ || wanted.size() < ids.size() || !std::ranges::all_of(wanted, is_weight)) return nullptr;
  const auto [made, is_new] = assigned_.try_emplace(ids);
  for (const int id : wanted)
    if (!all_assigned_.insert(id).second && is_new)
      unsupported("another node moves the weight '" + shown(name(id)) + "' beside another weight");
  return &made->second;
}

void Weights::assign(Graph& graph) const {
  for (const auto& [ids, assigned] : assigned_)
    for (size_t i = 0; i < assigned.variables.size(); ++i)
      check(graph.state()->builder->assign(assigned.variables[i].value(), assigned.next[i].value(), /*if_trained=*/true,
                                           assigned.source));
}

}  // namespace cutset::onnx
