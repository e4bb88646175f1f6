// SPDX-License-Identifier: Apache-2.0
// Converts the element type of a tensor.
#pragma once
#include <cutset/ops.h>

namespace cutset::onnx {

// Returns x with elements of the given type, or x itself if it has this type.
inline Tensor converted(const Tensor& x, DType type) {
  return x.dtype() == type ? x : cast(x, {.dtype = type});
}

}  // namespace cutset::onnx
