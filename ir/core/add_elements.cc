// SPDX-License-Identifier: Apache-2.0
#include "ir/core/add_elements.h"

#include <type_traits>

#include "ir/core/half.h"
#include "ir/core/tensor_view.h"

namespace cutset {
namespace {

template <class T>
void add(void* to, const void* from, int64_t n) {
  if constexpr (std::is_same_v<T, bool>) {  // reading a byte that is neither 0 nor 1 as bool is undefined
                                            // behaviour
    auto* a = static_cast<unsigned char*>(to);
    const auto* b = static_cast<const unsigned char*>(from);
    for (int64_t i = 0; i < n; ++i) a[i] = (a[i] | b[i]) != 0;
    return;
  } else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {  // unsigned addition wraps around
    using U = std::make_unsigned_t<T>;
    return add<U>(to, from, n);
  }
  T* a = static_cast<T*>(to);
  const T* b = static_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i) a[i] = static_cast<T>(a[i] + b[i]);
}

}  // namespace

Status add_elements(DType dtype, void* to, const void* from, int64_t n) {
  if (is_half(dtype)) {
    auto* a = static_cast<uint16_t*>(to);
    const auto* b = static_cast<const uint16_t*>(from);
    for (int64_t i = 0; i < n; ++i) a[i] = to_half(from_half(a[i], dtype) + from_half(b[i], dtype), dtype);
    return {};
  }
  return dispatch_all(dtype, [&]<class T>(T) { add<T>(to, from, n); });
}

}  // namespace cutset
