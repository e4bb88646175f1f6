// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "ir/ops/reduction/reduction_rules.h"
#include "ir/ops/reduction/reduction_shape.h"

namespace cutset::rules {

namespace reduce_sum {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const ReductionShape s, reduction_shape(in[0].shape, a.axes));
  return dispatch_all(in[0].dtype, [&]<class T>(T) { sum_reduced(s, in[0].as<T>(), out[0].as<T>()); });
}
}  // namespace reduce_sum

namespace reduce_prod {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const ReductionShape s, reduction_shape(in[0].shape, a.axes));
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    for_each_element(s.kept_shape(), {s.kept_strides}, [&](int64_t to, const int64_t (&base)[1]) {
      Total<T> product = 1;
      for_each_element(s.reduced_shape(), {s.reduced_strides}, [&](int64_t, const int64_t (&at)[1]) {
        product *= static_cast<Total<T>>(in[0].as<T>()[base[0] + at[0]]);
      });
      out[0].as<T>()[to] = static_cast<T>(product);
    });
  });
}
}  // namespace reduce_prod

namespace {

template <bool kLargest>
Status extremum_of(const ExtremumAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const ReductionShape s, reduction_shape(in[0].shape, a.axes));
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    using Limits = std::numeric_limits<T>;
    const T* x = in[0].as<T>();
    T* y = out[0].as<T>();
    T none = kLargest ? Limits::lowest() : Limits::max();
    if constexpr (Limits::has_infinity) none = kLargest ? -Limits::infinity() : Limits::infinity();
    for (int64_t i = 0; i < s.kept_elements; ++i) y[i] = none;
    for_each_reduced(s, [&](int64_t to, int64_t from) {
      if ((kLargest ? x[from] > y[to] : x[from] < y[to]) || x[from] != x[from]) y[to] = x[from];
    });
  });
}

}  // namespace

namespace reduce_max {
Status reference(const Attrs& a, Views in, Views out) { return extremum_of<true>(a, in, out); }
}  // namespace reduce_max
namespace reduce_min {
Status reference(const Attrs& a, Views in, Views out) { return extremum_of<false>(a, in, out); }
}  // namespace reduce_min

}  // namespace cutset::rules
