// The weights of a model: initializers that become variables of the graph.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/onnx/import/value.h"
#include "frontends/onnx/names.h"

namespace cutset {
class Graph;
}  // namespace cutset

namespace cutset::onnx {

// Weights are named by their ids in the table of values.
class Weights {
 public:
  // minimize() trains the weights if `trainable` is set and `untrained` does not have the name.
  Weights(bool trainable, std::set<std::string> untrained) : trainable_(trainable), untrained_(std::move(untrained)) {}
  void add(int id, const std::string& name) { names_.emplace(id, name); }
  const std::string& name(int id) const { return names_.at(id); }

  // Makes a variable of a weight. It has the name of the weight, as a name of the graph from `variables`.
  Tensor variable(Graph& graph, Names& variables, int id, const Value& value) const;
  // Reserves weights for the assignments of one node. Returns false, and reserves none, if a value is not a weight, is named twice or is
  // reserved.
  bool reserve(const std::vector<int>& ids);

 private:
  bool trainable_;
  std::set<std::string> untrained_;
  std::map<int, std::string> names_;
  std::set<int> reserved_;
};

}  // namespace cutset::onnx
