// SPDX-License-Identifier: Apache-2.0
// Converts tensors of floating-point types to the type of a variable.
#pragma once
#include "ir/core/result.h"
#include "runtime/files/host_tensor.h"

namespace cutset {

// Whether converted_floats() supports a conversion: from f16 and bf16 to f32 or f64, and between f32 and f64.
bool can_convert_floats(DType from, DType to);
// Converts the elements of `tensor` to the type `to`. can_convert_floats() must be true for the types. The
// conversion is exact, except that f64 is rounded to f32. Fails, naming the element, if f32 cannot hold a
// finite element of f64.
Result<HostTensor> converted_floats(const HostTensor& tensor, DType to);
// Returns the tensor itself if it has the type `to`, or else converted_floats().
inline Result<HostTensor> floats_in(const HostTensor& tensor, DType to) {
  return tensor.dtype() == to ? Result<HostTensor>(tensor) : converted_floats(tensor, to);
}

}  // namespace cutset
