// SPDX-License-Identifier: Apache-2.0
// Computes the elements of values that are needed while the graph is built, such as shapes and conditions.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "frontends/onnx/import/values/value_table.h"

namespace cutset::onnx {

// Computes elements with the ops themselves, so that every op has one implementation. The steps from known
// elements to the value are converted into a separate graph, which runs on a reference device.
class Folder {
 public:
  // `values` must outlive the folder. ImportContext describes `opset` and `files`.
  Folder(ValueTable& values, int64_t opset, const ExternalData* files)
      : values_(values), opset_(opset), files_(files) {}

  // Returns the value, with its elements if they do not depend on an input whose elements are unknown. Throws
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
