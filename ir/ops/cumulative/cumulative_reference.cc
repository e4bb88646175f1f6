// SPDX-License-Identifier: Apache-2.0
#include "ir/core/tensor_view.h"
#include "ir/ops/cumulative/cumulative_lines.h"
#include "ir/ops/cumulative/cumulative_rules.h"
#include "ir/ops/reduction/reduction_shape.h"

namespace cutset::rules {
namespace {

// Calls join(total, element) along each line, from the neutral number `none` on.
template <class Join>
Status accumulate_lines(const CumulativeAttrs& a, Views in, Views out, int none, Join join) {
  const CumulativeLines lines(in[0].shape, a.axis, a.reverse);
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < lines.count; ++i) {
      const T* x = in[0].as<T>() + lines.first(i);
      T* y = out[0].as<T>() + lines.first(i);
      auto total = static_cast<Total<T>>(none);
      for (int64_t k = 0; k < lines.length; ++k) {
        const int64_t at = k * lines.step();
        const Total<T> joined = join(total, static_cast<Total<T>>(x[at]));
        y[at] = static_cast<T>(a.exclusive ? total : joined);
        total = joined;
      }
    }
  });
}

}  // namespace

Status cumsum::reference(const Attrs& a, Views in, Views out) {
  return accumulate_lines(a, in, out, 0, [](auto total, auto x) { return total + x; });
}
Status cumprod::reference(const Attrs& a, Views in, Views out) {
  return accumulate_lines(a, in, out, 1, [](auto total, auto x) { return total * x; });
}

// The first loop over a line writes, for each element, the product of the elements before it. The second loop
// runs from the last element to the first. It multiplies this product by the sum of the gradients of the
// later products, each times the elements in between.
Status cumprod_backward::reference(const Attrs& a, Views in, Views out) {
  const CumulativeLines lines(in[1].shape, a.axis, a.reverse);
  return dispatch_float(in[1].dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < lines.count; ++i) {
      const T *g = in[0].as<T>() + lines.first(i), *x = in[1].as<T>() + lines.first(i);
      T* d = out[0].as<T>() + lines.first(i);
      double before = 1, behind = 0;
      for (int64_t k = 0; k < lines.length; ++k) {
        const int64_t at = k * lines.step();
        d[at] = static_cast<T>(before);
        before *= double{x[at]};
      }
      for (int64_t k = lines.length - 1; k >= 0; --k) {
        const int64_t at = k * lines.step();
        const double sum = a.exclusive ? behind : double{g[at]} + behind;
        d[at] = static_cast<T>(double{d[at]} * sum);
        behind = double{x[at]} * sum + (a.exclusive ? double{g[at]} : 0);
      }
    }
  });
}

}  // namespace cutset::rules
