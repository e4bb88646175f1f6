// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ir/ops/adadelta/adadelta_rules.h"

namespace cutset::rules::adadelta {

Status reference(const AdadeltaAttrs&, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *w = in[0].as<T>(), *s = in[1].as<T>(), *u = in[2].as<T>(), *g = in[3].as<T>();
    const T rate = *in[4].as<T>(), rho = *in[5].as<T>(), epsilon = *in[6].as<T>(), decay = *in[7].as<T>();
    T *new_w = out[0].as<T>(), *new_s = out[1].as<T>(), *new_u = out[2].as<T>();
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i) {
      const T gradient = g[i] + decay * w[i];
      const T square = rho * s[i] + (1 - rho) * (gradient * gradient);
      const T step = std::sqrt(u[i] + epsilon) / std::sqrt(square + epsilon) * gradient;
      new_w[i] = w[i] - rate * step;
      new_s[i] = square;
      new_u[i] = rho * u[i] + (1 - rho) * (step * step);
    }
  });
}

}  // namespace cutset::rules::adadelta
