// SPDX-License-Identifier: Apache-2.0
// Values whose elements decide what the graph of a model is: a shape, the number of iterations, or another
// property that is fixed when the graph is built.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontends/onnx/import/model/weights.h"
#include "frontends/onnx/import/values/value_table.h"

namespace cutset::onnx {

// The values whose elements decide something. The importer notes them while it converts nodes.
class Decisions {
 public:
  // `node` needs the elements of the value. Only the first node of a value is kept.
  void add(int id, const std::string& node) { nodes_.emplace(id, node); }
  // All values whose elements decide something: those that were added, and those from which they were
  // computed. Each has the name of the node that needs the elements.
  std::map<int, std::string> all(const ValueTable& values) const;

 private:
  std::map<int, std::string> nodes_;
};

// The elements of weights that became variables, although no output of the model is computed with them: the
// elements have only decided what the graph is. Other values of such a variable would have no effect, so the
// weight should be a constant. Throws kUnsupported if an output is computed with a weight that has also
// decided something.
std::set<const HostTensor*> weights_that_only_decide(const Decisions& decisions, const ValueTable& values,
                                                     const Weights& weights, const std::vector<int>& outputs);

}  // namespace cutset::onnx
