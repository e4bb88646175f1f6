// SPDX-License-Identifier: Apache-2.0
// Converts a number from one element type to another. The conversion is defined for every value. C++'s
// static_cast has undefined behaviour for a floating-point number that the integer type cannot hold.
#pragma once
#include <limits>
#include <type_traits>

namespace cutset {

// Converts `v` to the type `To`.
// - To bool: true if `v` is not zero. NaN is not zero, so it becomes true.
// - From a floating-point type to an integer type: rounds towards zero. A value outside of the integer's
//   range becomes the nearest bound of the range, and NaN becomes 0.
// - Otherwise a static_cast: integers wrap around, and floating-point numbers round to the nearest, ties to
//   even.
template <class To, class From>
To convert(From v) {
  if constexpr (std::is_same_v<To, bool>) {
    return v != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Limits = std::numeric_limits<To>;
    if (v != v) return 0;
    if (v <= static_cast<From>(Limits::min())) return Limits::min();
    if (v >= static_cast<From>(Limits::max())) return Limits::max();
    return static_cast<To>(v);
  } else {
    return static_cast<To>(v);
  }
}

}  // namespace cutset
