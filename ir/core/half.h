// Conversion of the 16-bit floating-point types, which are represented by their bits. f16 is IEEE 754 binary16, and
// bf16 is the upper half of an IEEE 754 binary32. In both functions, `type` must be f16 or bf16.
#pragma once
#include <cstdint>

#include "ir/core/types.h"

namespace cutset {

// The value of `bits`. The conversion is exact.
double from_half(uint16_t bits, DType type);
// The bits of the number of `type` that is nearest to `value`, ties to even. A value that rounds beyond the largest
// finite number becomes infinite, and NaN stays NaN.
uint16_t to_half(double value, DType type);

}  // namespace cutset
