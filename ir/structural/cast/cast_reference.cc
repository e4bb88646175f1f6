// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "ir/core/convert.h"
#include "ir/core/half.h"
#include "ir/structural/cast/cast_rules.h"

namespace cutset::rules::cast {
namespace {

constexpr int64_t kTile = 256;  // elements that are converted at once

// Converts n numbers to f16 or bf16, each with one rounding.
template <class From>
void to_halves_from(const From* from, uint16_t* to, int64_t n, DType type) {
  if constexpr (std::is_same_v<From, float>) {
    to_halves(from, to, n, type);
  } else {
    using Wide = std::conditional_t<std::is_same_v<From, double>, double,
                                    std::conditional_t<std::is_signed_v<From>, int64_t, uint64_t>>;
    for (int64_t i = 0; i < n; ++i) to[i] = to_half(static_cast<Wide>(from[i]), type);
  }
}

// Converts numbers of a C++ type to any type.
template <class From>
Status cast_from(const From* from, const TensorView& out, int64_t first, int64_t n) {
  if (is_half(out.dtype)) {
    to_halves_from(from, out.as<uint16_t>() + first, n, out.dtype);
    return {};
  }
  return dispatch_all(out.dtype, [&]<class To>(To) {
    for (int64_t i = 0; i < n; ++i) out.as<To>()[first + i] = convert<To>(from[i]);
  });
}

}  // namespace

Status reference(const CastAttrs&, Views in, Views out) {
  const int64_t n = out[0].elements();
  if (is_half(in[0].dtype)) {
    float tile[kTile];
    for (int64_t i = 0; i < n; i += kTile) {
      const int64_t count = std::min(kTile, n - i);
      from_halves(in[0].as<uint16_t>() + i, tile, count, in[0].dtype);
      CUTSET_TRY(cast_from(tile, out[0], i, count));
    }
    return {};
  }
  Status inner;
  CUTSET_TRY(dispatch_all(in[0].dtype,
                          [&]<class From>(From) { inner = cast_from(in[0].as<From>(), out[0], 0, n); }));
  return inner;
}
}  // namespace cutset::rules::cast
