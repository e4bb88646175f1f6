// Values whose elements decide what the graph of a model is: a shape, the number of iterations, or another property that is fixed when
// the graph is built.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontends/onnx/import/value_table.h"

namespace cutset::onnx {

class Decisions {
 public:
  // `node` needs the elements of the value. Only the first node of a value is kept.
  void add(int id, const std::string& node) { nodes_.emplace(id, node); }
  // All values whose elements decide, also by values that were computed from them, each with the node that it decides.
  std::map<int, std::string> all(const ValueTable& values) const;

 private:
  std::map<int, std::string> nodes_;
};

// All values whose elements the program reads when it computes these results.
std::set<int> computed_with(const ValueTable& values, const std::vector<int>& results);

}  // namespace cutset::onnx
