// SPDX-License-Identifier: Apache-2.0
// Finds the integer inputs of a graph that are labels or indices, and their numbers of classes, from the ops
// that read them.
#pragma once
#include <cutset/tensor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/core/op/op_info.h"

namespace cutset {

// The labels of one graph. Every input and op is reported in the order in which it is added to the graph.
class LabelClasses {
 public:
  // Adds an integer input, with the id of its value and the dimension that is its batch.
  void add_input(int value, const std::string& name, std::optional<int> batch_dimension) {
    inputs_[value] = name;
    batch_dimensions_[name] = batch_dimension;
  }
  // Adds an op. The name of an operand gives its number of classes:
  // - "labels": the attribute `depth`, or, if the op has no such attribute, the size of the last dimension of
  //   the first operand.
  // - "indices": the size of the first operand along the attribute `axis`.
  void add_op(const OpInfo& op, const std::vector<Tensor>& operands, const Attributes& attributes,
              const std::vector<Tensor>& results);
  // Adds labels of `classes` classes that are read by a composition of ops, but by no op with an operand
  // "labels". If `value` holds the labels of an input, this input has at most `classes` classes.
  void add_labels(int value, int64_t classes);
  // Adds a tensor that holds the ids or labels of `ids` with the padding replaced. The input from which these
  // ids or labels come may hold the padding.
  void add_padding(int result, int ids, int64_t padding) {
    const auto input = inputs_.find(ids);
    if (input == inputs_.end()) return;
    const std::string name = input->second;
    inputs_[result] = name;
    padding_[name].insert(padding);
  }
  // Returns the numbers that stand for no id in the input `name`, or for a label that is ignored.
  std::set<int64_t> padding(const std::string& name) const {
    const auto found = padding_.find(name);
    return found == padding_.end() ? std::set<int64_t>() : found->second;
  }
  // Returns the dimension that is the batch of an input of classes().
  std::optional<int> batch_dimension(const std::string& name) const { return batch_dimensions_.at(name); }
  // Returns the numbers of classes, by the names of the inputs. If several ops read an input, the smallest
  // number counts.
  const std::map<std::string, int64_t>& classes() const { return classes_; }
  // Returns the smallest number that the input `name` of classes() may hold: 0 if an op reads it as labels,
  // and otherwise minus its number of classes, because a negative index counts from the end.
  int64_t lowest(const std::string& name) const { return labels_.contains(name) ? 0 : -classes_.at(name); }

 private:
  // Notes that an op or a composition reads the input `name` with `classes` classes.
  void add_classes(const std::string& name, int64_t classes);

  std::map<int, std::string>
      inputs_;  // the inputs, their views and their integer casts, by the id of the value
  std::map<std::string, int64_t> classes_;
  std::map<std::string, std::optional<int>> batch_dimensions_;
  std::map<std::string, std::set<int64_t>> padding_;
  std::set<std::string> labels_;  // the inputs that an op reads as labels
};

}  // namespace cutset
