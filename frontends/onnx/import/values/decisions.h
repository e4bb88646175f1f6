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
  // Records that `node` needs the elements of the value. Only the first node of a value is kept.
  void add(int id, const std::string& node) { nodes_.emplace(id, node); }
  // Returns all values whose elements decide something, each with the name of the node that needs them: the
  // values that were added, and the values from which they were computed.
  std::map<int, std::string> all(const ValueTable& values) const;

 private:
  std::map<int, std::string> nodes_;
};

// Returns the elements of weights that became variables, although they only decide what the graph is and no
// output of the model is computed with them. Other values of such a variable would have no effect, so the
// weight should be a constant. Throws kUnsupported if a weight decides something and an output is also
// computed with it.
std::set<const HostTensor*> weights_that_only_decide(const Decisions& decisions, const ValueTable& values,
                                                     const Weights& weights, const std::vector<int>& outputs);

}  // namespace cutset::onnx
