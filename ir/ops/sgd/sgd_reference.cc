// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/sgd/sgd_rules.h"

namespace cutset::rules::sgd {

Status reference(const SgdAttrs&, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T rate = *in[3].as<T>(), momentum = *in[4].as<T>();
    const T *w = in[0].as<T>(), *v = in[1].as<T>(), *g = in[2].as<T>();
    T *new_w = out[0].as<T>(), *new_v = out[1].as<T>();
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i) {
      const T step = momentum * v[i] + g[i];
      new_w[i] = w[i] - rate * step;
      new_v[i] = step;
    }
  });
}

}  // namespace cutset::rules::sgd
