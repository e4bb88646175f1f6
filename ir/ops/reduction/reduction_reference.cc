#include <limits>

#include "ir/ops/reduction/reduction_rules.h"
#include "ir/ops/reduction/reduction_shape.h"

namespace cutset::rules {

namespace reduce_sum {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const ReductionShape s, reduction_shape(in[0].shape, a.axes));
  return dispatch_float(in[0].dtype, [&]<class T>(T) { sum_reduced(s, in[0].as<T>(), out[0].as<T>()); });
}
}  // namespace reduce_sum

namespace reduce_max {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const ReductionShape s, reduction_shape(in[0].shape, a.axes));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T* x = in[0].as<T>();
    T* y = out[0].as<T>();
    for (int64_t i = 0; i < s.kept_elements; ++i) y[i] = -std::numeric_limits<T>::infinity();
    for_each_reduced(s, [&](int64_t to, int64_t from) {
      if (x[from] > y[to] || x[from] != x[from]) y[to] = x[from];
    });
  });
}
}  // namespace reduce_max

}  // namespace cutset::rules
