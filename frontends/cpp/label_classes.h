// Finds the integer inputs of a graph that are labels or indices, and their numbers of classes, from the ops that read them.
#pragma once
#include <cutset/tensor.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/core/op_info.h"

namespace cutset {

// The labels of one graph. Every input and op is reported in the order in which it is added to the graph.
class LabelClasses {
 public:
  // Adds an integer input, with the id of its value.
  void add_input(int value, const std::string& name) { inputs_[value] = name; }
  // Adds an op. An operand with the name "labels" has as many classes as the attribute `depth` says, or, if the op has
  // no such attribute, as the last dimension of the first operand has elements. An operand with the name "indices" has as many
  // as the first operand has elements along the attribute `axis`.
  void add_op(const OpInfo& op, const std::vector<Tensor>& operands, const Attributes& attributes,
              const std::vector<Tensor>& results);
  // The numbers of classes, by the names of the inputs. If several ops read an input, the smallest number counts.
  const std::map<std::string, int64_t>& classes() const { return classes_; }
  // The smallest number that the input `name` of classes() may hold: 0 if an op reads it as labels, and otherwise minus its number of
  // classes, because a negative index counts from the end.
  int64_t lowest(const std::string& name) const { return labels_.contains(name) ? 0 : -classes_.at(name); }

 private:
  std::map<int, std::string> inputs_;  // the inputs and their views, by the id of the value
  std::map<std::string, int64_t> classes_;
  std::set<std::string> labels_;  // the inputs that an op reads as labels
};

}  // namespace cutset
