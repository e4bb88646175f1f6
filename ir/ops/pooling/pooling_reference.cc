// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "ir/ops/pooling/pooling_rules.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::rules {

namespace max_pool {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const PoolShape s, pool_shape_of(a, in[0].shape));
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    using Limits = std::numeric_limits<T>;
    const T nothing = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    const T* x = in[0].as<T>();
    T* y = out[0].as<T>();
    for_each_maximum(s, x, [&](int64_t plane, int64_t to, int64_t from) {
      y[plane * s.out() + to] = from < 0 ? nothing : x[plane * s.in() + from];
    });
  });
}
}  // namespace max_pool

namespace max_pool_indices {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const PoolShape s, pool_shape_of(a, in[0].shape));
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    int64_t* y = out[0].as<int64_t>();
    for_each_maximum(s, in[0].as<T>(),
                     [&](int64_t plane, int64_t to, int64_t from) { y[plane * s.out() + to] = from; });
  });
}
}  // namespace max_pool_indices

namespace max_pool_backward {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const PoolShape s, pool_shape_of(a, in[1].shape));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T* g = in[0].as<T>();
    T* dx = out[0].as<T>();
    for (int64_t i = 0; i < s.planes() * s.in(); ++i) dx[i] = 0;
    for_each_maximum(s, in[1].as<T>(), [&](int64_t plane, int64_t to, int64_t from) {
      if (from >= 0) dx[plane * s.in() + from] += g[plane * s.out() + to];
    });
  });
}
}  // namespace max_pool_backward

}  // namespace cutset::rules
