#include <bit>
#include <cstdint>

#include "ir/structural/all_finite/all_finite_rules.h"

namespace cutset::rules::all_finite {
namespace {

// A number is not finite if all bits of its exponent are set. The loop uses integers and does not exit early, so that
// the compiler can vectorise it. It is then bound by the memory bandwidth.
template <class Bits, class T>
bool finite(const T* x, int64_t n, Bits exponent) {
  Bits bad = 0;
  for (int64_t i = 0; i < n; ++i) bad |= (std::bit_cast<Bits>(x[i]) & exponent) == exponent ? 1 : 0;
  return bad == 0;
}

}  // namespace

Status reference(const AllFiniteAttrs&, Views in, Views out) {
  bool all = true;
  for (const TensorView& v : in)
    CUTSET_TRY(dispatch_float(v.dtype, [&]<class T>(T) {
      if constexpr (sizeof(T) == 4)
        all &= finite<uint32_t>(v.as<T>(), v.elements(), 0x7f800000u);
      else
        all &= finite<uint64_t>(v.as<T>(), v.elements(), 0x7ff0000000000000u);
    }));
  *out[0].as<bool>() = all;
  return {};
}
}  // namespace cutset::rules::all_finite
