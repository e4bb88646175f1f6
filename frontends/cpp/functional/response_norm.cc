// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/response_norm.h"

#include <cutset/constants.h>

#include <algorithm>

#include "frontends/cpp/functional/compose_in_f32.h"

namespace cutset {

Tensor response_norm(const Tensor& x, const ResponseNorm& o, std::source_location where) {
  const auto again = [x = kept(x), o, where](const Counterpart& now) {
    return response_norm(now(x), o, where);
  };
  return compose_in_f32(x, "local_response_norm", where, again, std::tie(x), [&](const Tensor& x) {
    if (x.type().rank() < 2 || o.size < 1)
      refuse(x, "local_response_norm", "channels in dimension 1 and a size of 1 or more", where);
    const int64_t channels = x.shape()[1];
    const Tensor squares = mul(x, x, where);
    const Tensor padded = ops::pad(squares,
                                   {.axis = 1,
                                    .before = std::min(o.before, channels),
                                    .after = std::min(o.size - 1 - o.before, channels)},
                                   where);
    const int64_t used = padded.shape()[1] - channels + 1;  // those farther away add nothing
    Tensor total;
    for (int64_t i = 0; i < used; ++i) {
      const Tensor shifted = ops::slice(padded, {.axis = 1, .start = i, .length = channels}, where);
      total = total.defined() ? add(total, shifted, where) : shifted;
    }
    const Tensor base = add(ops::scale(total, {.factor = o.alpha / static_cast<double>(o.size)}, where),
                            constant(x, Number(o.bias, where)), where);
    return div(x, pow(base, constant(x, Number(o.beta, where)), where), where);
  });
}

}  // namespace cutset
