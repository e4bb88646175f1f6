// SPDX-License-Identifier: Apache-2.0
// The weights of a model: initializers that become variables of the graph.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/onnx/import/model/initializers.h"
#include "frontends/onnx/import/values/assigned.h"
#include "frontends/onnx/import/values/value.h"
#include "frontends/onnx/names.h"

namespace cutset {
class Graph;
}  // namespace cutset

namespace cutset::onnx {

// The weights of a model, by their ids in the table of values.
class Weights {
 public:
  // minimize() trains the weights if `trainable` is set, except the weights in `untrained`. Nodes may assign
  // to weights in "train" if `assignable` is set (ImportOptions::batch_statistics).
  Weights(bool trainable, NamesOfGraphs untrained, bool assignable)
      : trainable_(trainable), assignable_(assignable), untrained_(std::move(untrained)) {}
  // Adds a weight. `graph` is the graph that defines its name.
  void add(int id, const onnx_proto::GraphProto& graph, const std::string& name) {
    names_.emplace(id, std::pair(&graph, name));
  }
  const std::string& name(int id) const { return names_.at(id).second; }

  // Makes a variable of a weight. `variables` makes its name in the graph from the name of the weight.
  Tensor variable(Graph& graph, Names& variables, int id, const Value& value) const;
  // Returns the assignments of nodes to each of these weights. Returns an empty list if a value is not a
  // weight or is named twice, or if nodes may not assign.
  std::vector<Assigned*> assigned(const std::vector<int>& ids);
  // Makes the assignments. They cannot be undone.
  void assign(Graph& graph) const;

 private:
  bool trainable_, assignable_;
  NamesOfGraphs untrained_;
  std::map<int, std::pair<const onnx_proto::GraphProto*, std::string>> names_;
  std::map<int, Assigned> assigned_;
};

}  // namespace cutset::onnx
