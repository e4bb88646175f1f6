// SPDX-License-Identifier: Apache-2.0
// Reads the elements of a tensor as doubles, for loops over many elements.
#pragma once
#include <cstdint>

#include "runtime/files/host_tensor.h"

namespace cutset {

// Reads elements as HostTensor::at() does, but does not check the index. The check would take half of the
// time of a comparison. The tensor must outlive the object and must not move its elements.
class Numbers {
 public:
  explicit Numbers(const HostTensor& tensor)
      : tensor_(tensor),
        floats_(tensor.dtype() == DType::f32 ? tensor.as<float>().data() : nullptr),
        doubles_(tensor.dtype() == DType::f64 ? tensor.as<double>().data() : nullptr) {}

  // Returns element `i` in row-major order. It must exist.
  double operator[](int64_t i) const {
    if (floats_) return floats_[i];
    if (doubles_) return doubles_[i];
    return tensor_.at(i);
  }

 private:
  const HostTensor& tensor_;
  const float* floats_;
  const double* doubles_;
};

}  // namespace cutset
