// The 16-bit floating-point types, as bits: f16 is IEEE 754 binary16, bf16 the upper half of binary32.
#pragma once
#include <cstdint>

#include "ir/core/types.h"

namespace cutset {

// The value of `bits`, exactly. `type` is f16 or bf16.
double from_half(uint16_t bits, DType type);
// The nearest number of `type`, ties to even; what is too large becomes infinite, NaN stays NaN.
uint16_t to_half(double value, DType type);

}  // namespace cutset
