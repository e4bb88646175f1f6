// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ir/ops/adagrad/adagrad_rules.h"

namespace cutset::rules::adagrad {

Status reference(const AdagradAttrs&, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *w = in[0].as<T>(), *s = in[1].as<T>(), *g = in[3].as<T>();
    const T steps = *in[2].as<T>(), rate_decay = *in[5].as<T>(), epsilon = *in[6].as<T>(),
            decay = *in[7].as<T>();
    const T rate = *in[4].as<T>() / (1 + steps * rate_decay);
    T *new_w = out[0].as<T>(), *new_s = out[1].as<T>();
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i) {
      const T gradient = g[i] + decay * w[i];
      const T sum = s[i] + gradient * gradient;
      new_w[i] = w[i] - rate * (gradient / (std::sqrt(sum) + epsilon));
      new_s[i] = sum;
    }
    *out[2].as<T>() = steps + 1;
  });
}

}  // namespace cutset::rules::adagrad
