// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/gradient_cases.h"

#include "ir/core/half.h"

namespace cutset::testing {

std::vector<const OpInfo*> differentiable_ops() {
  std::vector<const OpInfo*> list;
  for (const OpInfo* op : all_ops())
    if (op->gradient) list.push_back(op);
  return list;
}

HostTensor widened(const HostTensor& t) {
  if (t.dtype() != f32 && !is_half(t.dtype())) return t;
  HostTensor w({f64, t.shape()});
  for (int64_t i = 0; i < t.elements(); ++i) w.set(i, t.at(i));
  return w;
}

void widen(Attributes& attributes) {
  for (auto& [name, value] : attributes)
    if (auto* t = std::get_if<DType>(&value); t && *t == f32) *t = f64;
}

}  // namespace cutset::testing
