// SPDX-License-Identifier: Apache-2.0
// The gradients of results that a condition may drop.
#pragma once
#include <map>
#include <vector>

#include "frontends/onnx/import/values/value_table.h"

namespace cutset::onnx {

// If a condition may drop the results of a branch or an iteration, the program computes them all the same.
// Dropped results must not change the gradients of the values around the branch, but 0 times a derivative
// that is NaN or infinite is NaN. So the nodes read these values through a gate, an op `detach` that passes
// the gradient only if the results are kept. Forward, a gate is the value itself.
class Gates {
 public:
  // Begins a group of nodes whose results are kept if the condition is `kept_if`. The values that the table
  // has now are outside of the group.
  void begin(Tensor condition, bool kept_if, const ValueTable& values);
  // Ends the group that began last.
  void end() { open_.pop_back(); }
  // Returns the number of the innermost gate, which is unique, or 0 if no group is open.
  int innermost() const { return open_.empty() ? 0 : open_.back().number; }
  // Whether the current nodes are inside the gate with this number. True for the number 0.
  bool is_open(int number) const;
  // Returns the tensor of the value `id` as the current nodes read it.
  Tensor read(int id, Tensor tensor);

 private:
  struct Gate {
    int number = 0;
    Tensor kept;                    // a scalar truth value: whether the results are kept
    int first_inside = 0;           // values with smaller ids are outside of the group
    std::map<int, Tensor> results;  // by value: the result of its gate
  };
  std::vector<Gate> open_;  // the innermost gate is the last
  int begun_ = 0;           // the number of calls of begin()
};

}  // namespace cutset::onnx
