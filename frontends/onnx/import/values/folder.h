// SPDX-License-Identifier: Apache-2.0
// The elements of values that are needed while the graph is built, such as shapes and conditions.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "frontends/onnx/import/values/value_table.h"

namespace cutset::onnx {

// Computes elements by the ops themselves: the steps that lead from known elements to the value are converted
// into a graph of their own, which runs on a reference device. So there is one implementation of every op.
class Folder {
 public:
  // `values` must outlive the folder. `opset` and `files` are those of ImportContext.
  Folder(ValueTable& values, int64_t opset, const ExternalData* files)
      : values_(values), opset_(opset), files_(files) {}

  // The value, with its elements if they do not depend on an input whose elements are unknown. Throws
  // kUnsupported if the model has asked for too many values.
  const Value& folded(int id);

 private:
  std::vector<int> steps_before(int id);
  void compute(int id, const std::vector<int>& steps);
  std::set<int> depending(const std::vector<int>& steps, const std::function<bool(const Value&)>& on) const;

  ValueTable& values_;
  int64_t opset_;
  const ExternalData* files_;
  std::set<int> asked_;
  size_t work_ = 0;
};

}  // namespace cutset::onnx
