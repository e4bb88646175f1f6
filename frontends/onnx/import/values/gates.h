// SPDX-License-Identifier: Apache-2.0
// The gradients of what a condition may drop.
#pragma once
#include <map>
#include <vector>

#include "frontends/onnx/import/values/value_table.h"

namespace cutset::onnx {

// A branch or an iteration whose results a condition may drop is computed all the same, but it must not
// change the gradients of the values around it then: 0 times a derivative that is NaN or infinite would be
// NaN. So its nodes read these values through a gate, an op `detach` that passes the gradient only if the
// results are kept. Forward, a gate is the value itself.
class Gates {
 public:
  // Begins the nodes whose results are kept if the condition is `kept_if`. The values that the table has now
  // are outside of these nodes.
  void begin(Tensor condition, bool kept_if, const ValueTable& values);
  // Ends the nodes that began last.
  void end() { open_.pop_back(); }
  // The number of the innermost gate, which no other gate has; 0 if no nodes have begun.
  int innermost() const { return open_.empty() ? 0 : open_.back().number; }
  // Whether the current nodes are inside a gate, or whether its number is 0.
  bool is_open(int number) const;
  // The tensor of the value `id` as the current nodes read it.
  Tensor read(int id, Tensor tensor);

 private:
  struct Gate {
    int number = 0;
    Tensor kept;                    // a scalar truth value: whether the results are kept
    int first_inside = 0;           // values with smaller ids are around the nodes
    std::map<int, Tensor> results;  // by value: the result of its gate
  };
  std::vector<Gate> open_;  // the innermost one is at the end
  int begun_ = 0;           // the number of calls of begin()
};

}  // namespace cutset::onnx
