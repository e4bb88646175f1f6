// SPDX-License-Identifier: Apache-2.0
// The loop of all_finite, for its reference kernel and the backends.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

namespace cutset {

// Whether n elements of type float or double are finite. A number is not finite if all bits of its exponent
// are set. The loop uses integers and does not exit early, so that the compiler can vectorise it. It is then
// bound by the memory bandwidth.
template <class T>
[[gnu::always_inline]] inline bool all_are_finite(const T* x, int64_t n) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr Bits kExponent = sizeof(T) == 4 ? Bits{0x7f800000} : static_cast<Bits>(0x7ff0000000000000);
  Bits bad = 0;
  for (int64_t i = 0; i < n; ++i) bad |= (std::bit_cast<Bits>(x[i]) & kExponent) == kExponent ? 1 : 0;
  return bad == 0;
}

}  // namespace cutset
