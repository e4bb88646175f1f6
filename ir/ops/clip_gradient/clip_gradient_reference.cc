// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/clip_gradient/clip_gradient_rules.h"

namespace cutset::rules {

Status clip_gradient::reference(const Attrs&, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *g = in[0].as<T>(), limit = *in[1].as<T>();
    T* y = out[0].as<T>();
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i)
      y[i] = g[i] > limit || limit != limit ? limit : g[i] < -limit ? -limit : g[i];
  });
}

Status scale_gradient::reference(const Attrs&, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *g = in[0].as<T>(), factor = *in[1].as<T>();
    T* y = out[0].as<T>();
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i) y[i] = g[i] * factor;
  });
}

}  // namespace cutset::rules
