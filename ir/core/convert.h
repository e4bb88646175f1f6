// Values from one element type to another, where C++ leaves some without a meaning.
#pragma once
#include <limits>
#include <type_traits>

namespace cutset {

// To bool: "not zero", which NaN is not. From a floating-point number to an integer: towards zero; what lies outside
// the integer's range becomes the nearest bound, NaN becomes 0. Everything else is a static_cast.
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
