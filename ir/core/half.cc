// SPDX-License-Identifier: Apache-2.0
#include "ir/core/half.h"

#include <cmath>

namespace cutset {
namespace {

// Returns an f32 that rounds to the same number of 16 bits as the value: the value itself if f32 has it, and
// otherwise its neighbour with an odd last bit. The two roundings then give the same result as one rounding.
float float_for_half(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value)) return nearest;
  // An infinite neighbour of a finite value becomes the largest finite number, which is odd.
  const bool above = std::abs(static_cast<double>(nearest)) > std::abs(value);
  return std::bit_cast<float>((std::bit_cast<uint32_t>(nearest) - (above ? 1 : 0)) | 1);
}

}  // namespace

uint16_t to_half(double value, DType type) { return to_half(float_for_half(value), type); }
uint16_t to_half(uint64_t value, DType type) { return to_half(half::float_for_half(value), type); }
uint16_t to_half(int64_t value, DType type) {
  const auto bits = static_cast<uint64_t>(value);
  return value < 0 ? to_half(-half::float_for_half(0 - bits), type) : to_half(bits, type);
}

void from_halves(const uint16_t* from, float* to, int64_t n, DType type) {
  if (type == DType::f16)
    for (int64_t i = 0; i < n; ++i) to[i] = half::float_of_f16(from[i]);
  else
    for (int64_t i = 0; i < n; ++i) to[i] = half::float_of_bf16(from[i]);
}
void to_halves(const float* from, uint16_t* to, int64_t n, DType type) {
  if (type == DType::f16)
    for (int64_t i = 0; i < n; ++i) to[i] = half::f16_of(from[i]);
  else
    for (int64_t i = 0; i < n; ++i) to[i] = half::bf16_of(from[i]);
}

const char* half_functions_source() {
#define HALF_FUNCTION(result, name, parameter, ...) \
  "FUNCTION " #result " " #name "(" #parameter ") { " #__VA_ARGS__ " }\n"
  return
#include "ir/core/half_functions.inc"
      ;
#undef HALF_FUNCTION
}

}  // namespace cutset
