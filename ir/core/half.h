// SPDX-License-Identifier: Apache-2.0
// Converts the 16-bit floating-point types f16 and bf16, which are represented by their bits.
// half_functions.inc defines the rounding. In all functions, `type` must be f16 or bf16. No function
// allocates memory.
#pragma once
#include <bit>
#include <cstdint>

#include "ir/core/types.h"

namespace cutset {

namespace half {
// NOLINTBEGIN(readability-identifier-naming): the names of these types in OpenCL C
using uint = uint32_t;
using ushort = uint16_t;
using ulong = uint64_t;
// NOLINTEND(readability-identifier-naming)
#define FLOAT_OF(bits) std::bit_cast<float>(static_cast<uint32_t>(bits))
#define BITS_OF(number) std::bit_cast<uint32_t>(number)
#define HALF_FUNCTION(result, name, parameter, ...) \
  inline result name(parameter) { __VA_ARGS__ }
#include "ir/core/half_functions.inc"
#undef HALF_FUNCTION
#undef BITS_OF
#undef FLOAT_OF
}  // namespace half

constexpr bool is_half(DType type) { return type == DType::f16 || type == DType::bf16; }

// Returns the value of `bits`. The conversion is exact.
inline float from_half(uint16_t bits, DType type) {
  return type == DType::f16 ? half::float_of_f16(bits) : half::float_of_bf16(bits);
}
// Returns the bits of the number of `type` that is nearest to `value`, ties to even. A value that rounds
// beyond the largest finite number becomes infinite, and NaN stays NaN.
inline uint16_t to_half(float value, DType type) {
  return type == DType::f16 ? half::f16_of(value) : half::bf16_of(value);
}
uint16_t to_half(double value, DType type);
uint16_t to_half(int64_t value, DType type);
uint16_t to_half(uint64_t value, DType type);

// Converts n numbers.
void from_halves(const uint16_t* from, float* to, int64_t n, DType type);
void to_halves(const float* from, uint16_t* to, int64_t n, DType type);

// Returns the source of the functions of half_functions.inc in the language of backends/portable.
const char* half_functions_source();

}  // namespace cutset
