#include <bit>
#include <cstdint>

#include "ir/structural/all_finite/all_finite_rules.h"

namespace cutset::ops::all_finite {
namespace {

// A number is not finite where all bits of its exponent are set. Integers and no early exit: compilers make
// vector code of it, which reads as fast as memory gives.
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
}  // namespace cutset::ops::all_finite
