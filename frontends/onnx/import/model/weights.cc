// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/weights.h"

#include <algorithm>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/add_variable.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/first_values.h"

namespace cutset::onnx {

Tensor Weights::variable(Graph& graph, Names& variables, int id, const Value& value) const {
  return add_variable(graph, variables.unique(name(id)), value.type(), FirstValue{.elements = value.known},
                      {.trainable = trainable_ && !untrained_.contains(names_.at(id))});
}

std::vector<Assigned*> Weights::assigned(const std::vector<int>& ids) {
  const std::set<int> wanted_ids(ids.begin(), ids.end());
  const auto is_weight = [&](int id) { return names_.contains(id); };
  if (!assignable_ || wanted_ids.size() < ids.size() || !std::ranges::all_of(wanted_ids, is_weight))
    return {};
  std::vector<Assigned*> all;
  for (const int id : ids) all.push_back(&assigned_[id]);
  return all;
}

void Weights::assign(Graph& graph) const {
  for (const auto& [id, assigned] : assigned_)
    for (const Assigned::Move& move : assigned.moves)
      check(graph.state()->builder->move(assigned.variable.value(), move.next.value(), move.training.value(),
                                         move.source));
}

}  // namespace cutset::onnx
