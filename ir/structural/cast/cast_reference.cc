#include <limits>
#include <type_traits>

#include "ir/structural/cast/cast_rules.h"

namespace cutset::ops::cast {
namespace {
// A float outside the integer's range has no meaning in C++: it becomes the nearest bound, NaN becomes 0.
template <class To, class From>
To convert(From v) {
  if constexpr (std::is_same_v<To, bool>)
    return v != From{0};
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Limits = std::numeric_limits<To>;
    if (v != v) return 0;
    if (v <= static_cast<From>(Limits::min())) return Limits::min();
    if (v >= static_cast<From>(Limits::max())) return Limits::max();
    return static_cast<To>(v);
  } else
    return static_cast<To>(v);
}
}  // namespace

Status reference(const CastAttrs&, Views in, Views out) {
  Status inner;
  CUTSET_TRY(dispatch_all(in[0].dtype, [&]<class From>(From) {
    inner = dispatch_all(out[0].dtype, [&]<class To>(To) {
      for (int64_t i = 0, n = out[0].elements(); i < n; ++i) out[0].as<To>()[i] = convert<To>(in[0].as<From>()[i]);
    });
  }));
  return inner;
}
}  // namespace cutset::ops::cast
