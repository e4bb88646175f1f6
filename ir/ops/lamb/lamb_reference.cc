// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ir/ops/lamb/lamb_rules.h"
#include "ir/ops/lamb/lamb_sums.h"

namespace cutset::rules::lamb {

// Returns the square root of the sum of the squares of value(0), ..., value(n - 1), in the order of
// lamb_sums.h.
template <class T, class F>
static T length(int64_t n, F&& value) {
  T lanes[kLambLanes] = {}, sum = 0;
  for (int64_t first = 0; first < n; first += kLambLanes)
    for (int64_t i = first; i < std::min(first + kLambLanes, n); ++i) {
      const T v = value(i);
      lanes[i - first] += v * v;
    }
  for (int64_t g = 0; g < kLambGroups; ++g) {
    T group = 0;
    for (int64_t l = 0; l < kLambLanes / kLambGroups; ++l) group += lanes[g * (kLambLanes / kLambGroups) + l];
    sum += group;
  }
  return std::sqrt(sum);
}

Status reference(const LambAttrs&, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *w = in[0].as<T>(), *m = in[1].as<T>(), *v = in[2].as<T>(), *g = in[5].as<T>();
    const T rate = *in[6].as<T>(), beta1 = *in[7].as<T>(), beta2 = *in[8].as<T>(), epsilon = *in[9].as<T>(),
            decay = *in[10].as<T>();
    const T a = beta1 * *in[3].as<T>() + (1 - beta1), b = beta2 * *in[4].as<T>() + (1 - beta2);
    T *new_w = out[0].as<T>(), *new_m = out[1].as<T>(), *new_v = out[2].as<T>();
    const int64_t n = in[0].elements();
    for (int64_t i = 0; i < n; ++i) {
      new_m[i] = beta1 * m[i] + (1 - beta1) * g[i];
      new_v[i] = beta2 * v[i] + (1 - beta2) * (g[i] * g[i]);
    }
    const auto step = [&](int64_t i) {
      return new_m[i] / a / (std::sqrt(new_v[i] / b) + epsilon) + decay * w[i];
    };
    const T of_variable = length<T>(n, [&](int64_t i) { return w[i]; }), of_step = length<T>(n, step);
    const T scale = of_variable == 0 || of_step == 0 ? rate : rate * (of_variable / of_step);
    for (int64_t i = 0; i < n; ++i) new_w[i] = w[i] - scale * step(i);
    *out[3].as<T>() = a;
    *out[4].as<T>() = b;
  });
}

}  // namespace cutset::rules::lamb
