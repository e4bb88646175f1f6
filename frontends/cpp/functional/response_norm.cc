// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/response_norm.h"

#include <cutset/constants.h>

#include <algorithm>

#include "frontends/cpp/functional/compose_in_f32.h"

namespace cutset {

Tensor response_norm(const Tensor& x, const ResponseNorm& o, std::source_location source) {
  const auto again = [x = kept(x), o, source](const Counterpart& now) {
    return response_norm(now(x), o, source);
  };
  return compose_in_f32(x, "local_response_norm", source, again, std::tie(x), [&](const Tensor& x) {
    if (x.type().rank() < 2 || o.size < 1)
      refuse(x, "local_response_norm", "channels in dimension 1 and a size of 1 or more", source);
    const int64_t channels = x.shape()[1];
    const Tensor squares = mul(x, x, source);
    const Tensor padded = ops::pad(squares,
                                   {.axis = 1,
                                    .before = std::min(o.before, channels),
                                    .after = std::min(o.size - 1 - o.before, channels)},
                                   source);
    const int64_t used = padded.shape()[1] - channels + 1;  // channels farther away add nothing
    Tensor total;
    for (int64_t i = 0; i < used; ++i) {
      const Tensor shifted = ops::slice(padded, {.axis = 1, .start = i, .length = channels}, source);
      total = total.defined() ? add(total, shifted, source) : shifted;
    }
    const Tensor base = add(ops::scale(total, {.factor = o.alpha / static_cast<double>(o.size)}, source),
                            constant(x, Number(o.bias, source)), source);
    return div(x, pow(base, constant(x, Number(o.beta, source)), source), source);
  });
}

}  // namespace cutset
