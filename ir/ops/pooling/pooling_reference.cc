#include "ir/ops/pooling/pooling_rules.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::rules {

namespace max_pool2d {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const PoolShape s, pool_shape(in[0].shape, a.kernel, a.stride, a.padding));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T* x = in[0].as<T>();
    T* y = out[0].as<T>();
    for_each_window(s, x, [&](int64_t to, int64_t from) { y[to] = x[from]; });
  });
}
}  // namespace max_pool2d

namespace max_pool2d_backward {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const PoolShape s, pool_shape(in[1].shape, a.kernel, a.stride, a.padding));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T* g = in[0].as<T>();
    T* dx = out[0].as<T>();
    for (int64_t i = 0; i < s.planes * s.h * s.w; ++i) dx[i] = 0;
    for_each_window(s, in[1].as<T>(), [&](int64_t to, int64_t from) { dx[from] += g[to]; });
  });
}
}  // namespace max_pool2d_backward

}  // namespace cutset::rules
