// SPDX-License-Identifier: Apache-2.0
// The elements of a tensor as doubles, for loops over many of them.
#pragma once
#include <cstdint>

#include "runtime/files/host_tensor.h"

namespace cutset {

// Reads elements as HostTensor::at() does, without its check of the index, which took half of the time of a
// comparison. The tensor must outlive the object and keep its elements where they are.
class Numbers {
 public:
  explicit Numbers(const HostTensor& tensor)
      : tensor_(tensor),
        floats_(tensor.dtype() == DType::f32 ? tensor.as<float>().data() : nullptr),
        doubles_(tensor.dtype() == DType::f64 ? tensor.as<double>().data() : nullptr) {}

  // Element `i` in row-major order, which must be in the tensor.
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
