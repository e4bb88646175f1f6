// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/values/gates.h"

#include <cutset/ops.h>

#include <algorithm>
#include <utility>

namespace cutset::onnx {

void Gates::begin(Tensor condition, bool kept_if, const ValueTable& values) {
  Tensor kept = reshape(condition, {.shape = {}});
  if (!kept_if) kept = bitwise_not(kept);
  open_.push_back({++begun_, std::move(kept), values.size(), {}});
}

bool Gates::is_open(int number) const {
  return number == 0 || std::ranges::any_of(open_, [&](const Gate& gate) { return gate.number == number; });
}

Tensor Gates::read(int id, Tensor tensor) {
  if (!is_float(tensor.dtype())) return tensor;
  for (Gate& gate : open_) {
    if (id >= gate.first_inside) continue;
    auto gated = gate.results.find(id);
    if (gated == gate.results.end()) gated = gate.results.emplace(id, detach(tensor, gate.kept)).first;
    tensor = gated->second;
  }
  return tensor;
}

}  // namespace cutset::onnx
