// Which integer inputs of a graph are labels, and of how many classes: known from the ops that read them.
#pragma once
#include <cutset/tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/core/op_info.h"

namespace cutset {

class LabelClasses {
 public:
  void add_input(int value, const std::string& name) { inputs_[value] = name; }
  // Reads what an op says of its operands: those named "labels" are below its `depth`, or, where it has none,
  // below the size of the last dimension of its first operand.
  void add_op(const OpInfo& op, const std::vector<Tensor>& operands, const Attributes& attributes,
              const std::vector<Tensor>& results);
  // The smallest number of classes that a reader of each input names.
  const std::map<std::string, int64_t>& classes() const { return classes_; }

 private:
  std::map<int, std::string> inputs_;  // values that have an input's elements, by their number in the graph
  std::map<std::string, int64_t> classes_;
};

}  // namespace cutset
