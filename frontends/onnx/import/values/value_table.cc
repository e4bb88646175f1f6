// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/values/value_table.h"

namespace cutset::onnx {

int ValueTable::add(Value value) {
  value.id = static_cast<int>(values_.size());
  values_.push_back({std::move(value), -1});
  return static_cast<int>(values_.size()) - 1;
}

int ValueTable::add_step(Step step) {
  const int index = static_cast<int>(steps_.size());
  for (const int id : step.results)
    if (id >= 0 && values_[static_cast<size_t>(id)].step < 0) values_[static_cast<size_t>(id)].step = index;
  steps_.push_back(std::move(step));
  return index;
}

}  // namespace cutset::onnx
