// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/ops.h>
#include <cutset/reductions.h>

#include <cmath>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/norms.h"

namespace cutset {

using Where = std::source_location;

Tensor sum(const Tensor& x, const AxisList& axes, bool keepdims, Where source) {
  return ops::reduce_sum(x, axes.list(), keepdims, source);
}

// The divisor is an op and not a constant, so that it is right for every batch size and for a batch that is
// split. The sum and the divisor of many 16-bit numbers may be beyond their type, so both are computed in
// f32.
Tensor mean(const Tensor& x, const AxisList& axes, bool keepdims, Where source) {
  return compose_in_f32(x, "mean", source, std::tie(x), [&](const Tensor& x) {
    return div(sum(x, axes, keepdims, source), ops::count(x, axes.list(), source), source);
  });
}

Tensor max(const Tensor& x, const AxisList& axes, bool keepdims, Where source) {
  return ops::reduce_max(x, axes.list(), keepdims, source);
}

Tensor min(const Tensor& x, const AxisList& axes, bool keepdims, Where source) {
  return ops::reduce_min(x, axes.list(), keepdims, source);
}

Tensor prod(const Tensor& x, const AxisList& axes, bool keepdims, Where source) {
  return ops::reduce_prod(x, axes.list(), keepdims, source);
}

Tensor l1_norm(const Tensor& x, const AxisList& axes, bool keepdims, Where source) {
  return compose(x, "l1_norm", source, [&] { return sum(abs(x, source), axes, keepdims, source); });
}

Tensor l2_norm(const Tensor& x, const AxisList& axes, bool keepdims, Where source) {
  return compose_in_f32(x, "l2_norm", source, std::tie(x), [&](const Tensor& x) {
    return root_of_norm(sum(mul(x, x, source), axes, keepdims, source), 2, source);
  });
}

// An infinite largest element is not subtracted: infinity - infinity would be NaN. A NaN is subtracted, and
// stays.
Tensor log_sum_exp(const Tensor& x, const AxisList& axes, bool keepdims, Where source) {
  return compose_in_f32(x, "log_sum_exp", source, std::tie(x), [&](const Tensor& x) {
    if (!is_float(x.dtype())) refuse(x, "log_sum_exp", "a floating-point type", source);
    const Tensor largest = ops::reduce_max(x, axes.list(), true, source);
    const Tensor infinite =
        cutset::equal(abs(largest, source), constant(x, Number(HUGE_VAL, source)), source);
    const Tensor offset = cutset::where(infinite, constant(x, Number(0, source)), largest, source);
    const Tensor total = sum(exp(sub(x, offset, source), source), axes, true, source);
    const Tensor with_axes = add(log(total, source), offset, source);
    if (keepdims) return with_axes;
    return ops::reshape_like(with_axes, ops::reduce_max(x, axes.list(), false, source), source);
  });
}

Tensor variance(const Tensor& x, const AxisList& axes, bool keepdims, Where source) {
  return compose_in_f32(x, "variance", source, std::tie(x), [&](const Tensor& x) {
    const Tensor centred = sub(x, mean(x, axes, true, source), source);
    return mean(mul(centred, centred, source), axes, keepdims, source);
  });
}

}  // namespace cutset
