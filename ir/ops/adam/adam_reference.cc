// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ir/ops/adam/adam_rules.h"

namespace cutset::rules::adam {

Status reference(const AdamAttrs& attributes, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *w = in[0].as<T>(), *m = in[1].as<T>(), *v = in[2].as<T>(), *g = in[5].as<T>();
    const T rate = *in[6].as<T>(), beta1 = *in[7].as<T>(), beta2 = *in[8].as<T>(), epsilon = *in[9].as<T>(),
            decay = *in[10].as<T>();
    T *new_w = out[0].as<T>(), *new_m = out[1].as<T>(), *new_v = out[2].as<T>();
    const T a = beta1 * *in[3].as<T>() + (1 - beta1), b = beta2 * *in[4].as<T>() + (1 - beta2);
    const T scale = rate / a, root = std::sqrt(b);
    const T shrunk = rate * decay;
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i) {
      const T gradient = attributes.decoupled ? g[i] : g[i] + decay * w[i];
      const T rest = attributes.decoupled ? w[i] - shrunk * w[i] : w[i];
      const T first = beta1 * m[i] + (1 - beta1) * gradient;
      const T second = beta2 * v[i] + (1 - beta2) * (gradient * gradient);
      const T step = scale * (first / (std::sqrt(second) / root + epsilon));
      new_w[i] = rest - step;
      new_m[i] = first;
      new_v[i] = second;
    }
    *out[3].as<T>() = a;
    *out[4].as<T>() = b;
  });
}

}  // namespace cutset::rules::adam
