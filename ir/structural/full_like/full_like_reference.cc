// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/convert.h"
#include "ir/core/half.h"
#include "ir/structural/full_like/full_like_rules.h"

namespace cutset::rules::full_like {
Status reference(const FullLikeAttrs& a, Views, Views out) {
  if (is_half(out[0].dtype)) {
    std::fill_n(out[0].as<uint16_t>(), out[0].elements(), to_half(a.value, out[0].dtype));
    return {};
  }
  return dispatch_all(out[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0, n = out[0].elements(); i < n; ++i) out[0].as<T>()[i] = convert<T>(a.value);
  });
}
}  // namespace cutset::rules::full_like
