// SPDX-License-Identifier: Apache-2.0
// Broadcasts scales and zero points to the elements that they belong to.
#pragma once
#include <cutset/ops.h>
#include <cutset/quantization.h>

namespace cutset {

// Returns the type in which sums and differences of integers of up to 16 bits are exact, and in which scales
// are multiplied: f64 if `floats` is f64, and otherwise f32.
inline DType exact_type(DType floats) { return floats == DType::f64 ? DType::f64 : DType::f32; }
// Returns x as a tensor of `type`.
inline Tensor converted(const Tensor& x, DType type, std::source_location source) {
  return x.dtype() == type ? x : cast(x, {.dtype = type}, source);
}

// Returns `value`, a scale or a zero point of x, in a shape that broadcasts to x. Throws an Error of
// `function` if it does not fit.
Tensor of_elements(const Tensor& value, const Tensor& x, const char* function,
                   const QuantizationGroups& groups, std::source_location source);

}  // namespace cutset
