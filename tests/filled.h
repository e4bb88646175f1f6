// SPDX-License-Identifier: Apache-2.0
// Tensors for tests.
#pragma once
#include <cutset/host_tensor.h>

#include <functional>

namespace cutset::testing {

// Returns a tensor whose element i, in row-major order, is element(i).
inline HostTensor filled(DType type, const Shape& shape, const std::function<double(int64_t)>& element) {
  HostTensor t({type, shape});
  for (int64_t i = 0; i < t.elements(); ++i) t.set(i, element(i));
  return t;
}

}  // namespace cutset::testing
