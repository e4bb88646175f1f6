// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/decayed_sgd/decayed_sgd_rules.h"

namespace cutset::rules::decayed_sgd {

Status reference(const DecayedSgdAttrs& attributes, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *w = in[0].as<T>(), *v = in[1].as<T>(), *g = in[3].as<T>();
    const T rate = *in[4].as<T>(), momentum = *in[5].as<T>(), dampening = *in[6].as<T>(),
            decay = *in[7].as<T>();
    const T share = 1 - dampening * *in[2].as<T>();
    T *new_w = out[0].as<T>(), *new_v = out[1].as<T>();
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i) {
      const T gradient = g[i] + decay * w[i];
      const T velocity = momentum * v[i] + share * gradient;
      new_w[i] = w[i] - rate * (attributes.nesterov ? gradient + momentum * velocity : velocity);
      new_v[i] = velocity;
    }
    *out[2].as<T>() = 1;
  });
}

}  // namespace cutset::rules::decayed_sgd
