// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/avg_pool/avg_pool_divisor.h"
#include "ir/ops/avg_pool/avg_pool_rules.h"

namespace cutset::rules {

namespace avg_pool {
Status reference(const AvgPoolAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const PoolShape s, pool_shape_of(a, in[0].shape));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T* x = in[0].as<T>();
    T* y = out[0].as<T>();
    for_each_mean(s, a.count_include_pad != 0, a.divisor_override,
                  [&](int64_t plane, int64_t to, const std::array<int64_t, 3>& at, int64_t divisor) {
                    double sum = 0;
                    for_each_in_window(s.axes, at[0], at[1], at[2],
                                       [&](int64_t from) { sum += x[plane * s.in() + from]; });
                    y[plane * s.out() + to] = static_cast<T>(sum / static_cast<double>(divisor));
                  });
  });
}
}  // namespace avg_pool

namespace avg_pool_backward {
Status reference(const AvgPoolBackwardAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const PoolShape s, pool_shape_of(a, out[0].shape));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T* g = in[0].as<T>();
    T* dx = out[0].as<T>();
    for (int64_t i = 0; i < s.planes() * s.in(); ++i) dx[i] = 0;
    for_each_mean(s, a.count_include_pad != 0, a.divisor_override,
                  [&](int64_t plane, int64_t to, const std::array<int64_t, 3>& at, int64_t divisor) {
                    const T share = g[plane * s.out() + to] / static_cast<T>(divisor);
                    for_each_in_window(s.axes, at[0], at[1], at[2],
                                       [&](int64_t from) { dx[plane * s.in() + from] += share; });
                  });
  });
}
}  // namespace avg_pool_backward

}  // namespace cutset::rules
