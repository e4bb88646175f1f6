// SPDX-License-Identifier: Apache-2.0
// The values of a model that is imported, and the steps that computed them.
#pragma once
#include <deque>
#include <vector>

#include "frontends/onnx/import/nodes/node.h"

namespace cutset::onnx {

// One computation of an import: a node, or ops between nodes that a converter of control flow adds.
struct Step {
  const onnx_proto::NodeProto* node = nullptr;  // null: `compute`
  Compute compute;
  std::vector<int> operands, results;  // ids of values; -1 where a node leaves out an operand or a result
  std::vector<bool> reads_operand;     // whether the program reads the elements of each operand for the step
  // The gate through which the step reads the values around it (gates.h). 0: no gate, so nothing drops its
  // results.
  int gate = 0;
};

// The values, each with an id, its index in the table. Names refer to ids (scope.h), and several names may
// refer to one id. If a node of a body is converted once per iteration, each iteration has a step and
// results.
class ValueTable {
 public:
  // Adds a value and returns its id.
  int add(Value value);
  // Adds the step that computed its results. A result that an earlier step computed belongs to that step.
  int add_step(Step step);

  // References stay valid while values and steps are added.
  const Value& operator[](int id) const { return values_[static_cast<size_t>(id)].value; }
  Value& operator[](int id) { return values_[static_cast<size_t>(id)].value; }
  // Returns the number of values. A value that is added later has an id that is not smaller.
  int size() const { return static_cast<int>(values_.size()); }
  // Returns the number of steps.
  int steps() const { return static_cast<int>(steps_.size()); }
  const Step& step(int index) const { return steps_[static_cast<size_t>(index)]; }
  // Returns the step that computed the value, or -1 if none did.
  int step_of(int id) const { return values_[static_cast<size_t>(id)].step; }

 private:
  struct Entry {
    Value value;
    int step = -1;
  };
  std::deque<Entry> values_;
  std::deque<Step> steps_;
};

}  // namespace cutset::onnx
