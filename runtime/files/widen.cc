#include "runtime/files/widen.h"

#include <algorithm>

namespace cutset {

HostTensor widened_to_f64(const HostTensor& t) {
  if (t.dtype() != DType::f32) return t;
  HostTensor wide({DType::f64, t.shape()});
  std::ranges::copy(t.as<float>(), wide.as<double>().begin());
  return wide;
}

}  // namespace cutset
