// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/widen.h"

#include <algorithm>

#include "runtime/files/uninitialized.h"

namespace cutset {

HostTensor widened_to_f64(const HostTensor& t) {
  if (t.dtype() != DType::f32) return t;
  HostTensor wide = uninitialized({DType::f64, t.shape()});
  std::ranges::copy(t.as<float>(), wide.as<double>().begin());
  return wide;
}

}  // namespace cutset
