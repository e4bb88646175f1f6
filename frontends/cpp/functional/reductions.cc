// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/ops.h>
#include <cutset/reductions.h>

#include <cmath>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/norms.h"

namespace cutset {

using Where = std::source_location;

Tensor sum(const Tensor& x, const AxisList& axes, bool keepdims, Where where) {
  return ops::reduce_sum(x, axes.list(), keepdims, where);
}

// The divisor is an op and not a constant, so that it is right for every batch size and for a batch that is
// split. Neither the sum nor the divisor of many 16-bit numbers need be a number of their type, so both are
// computed in f32.
Tensor mean(const Tensor& x, const AxisList& axes, bool keepdims, Where where) {
  return compose_in_f32(x, "mean", where, std::tie(x), [&](const Tensor& x) {
    return div(sum(x, axes, keepdims, where), ops::count(x, axes.list(), where), where);
  });
}

Tensor max(const Tensor& x, const AxisList& axes, bool keepdims, Where where) {
  return ops::reduce_max(x, axes.list(), keepdims, where);
}

Tensor min(const Tensor& x, const AxisList& axes, bool keepdims, Where where) {
  return ops::reduce_min(x, axes.list(), keepdims, where);
}

Tensor prod(const Tensor& x, const AxisList& axes, bool keepdims, Where where) {
  return ops::reduce_prod(x, axes.list(), keepdims, where);
}

Tensor l1_norm(const Tensor& x, const AxisList& axes, bool keepdims, Where where) {
  return compose(x, "l1_norm", where, [&] { return sum(abs(x, where), axes, keepdims, where); });
}

Tensor l2_norm(const Tensor& x, const AxisList& axes, bool keepdims, Where where) {
  return compose_in_f32(x, "l2_norm", where, std::tie(x), [&](const Tensor& x) {
    return root_of_norm(sum(mul(x, x, where), axes, keepdims, where), 2, where);
  });
}

// An infinite largest element is not subtracted: infinity - infinity would be NaN. A NaN is subtracted, and
// stays.
Tensor log_sum_exp(const Tensor& x, const AxisList& axes, bool keepdims, Where where) {
  return compose_in_f32(x, "log_sum_exp", where, std::tie(x), [&](const Tensor& x) {
    if (!is_float(x.dtype())) refuse(x, "log_sum_exp", "a floating-point type", where);
    const Tensor largest = ops::reduce_max(x, axes.list(), true, where);
    const Tensor infinite = cutset::equal(abs(largest, where), constant(x, Number(HUGE_VAL, where)), where);
    const Tensor offset = cutset::where(infinite, constant(x, Number(0, where)), largest, where);
    const Tensor total = sum(exp(sub(x, offset, where), where), axes, true, where);
    const Tensor kept = add(log(total, where), offset, where);
    if (keepdims) return kept;
    return ops::reshape_like(kept, ops::reduce_max(x, axes.list(), false, where), where);
  });
}

Tensor variance(const Tensor& x, const AxisList& axes, bool keepdims, Where where) {
  return compose_in_f32(x, "variance", where, std::tie(x), [&](const Tensor& x) {
    const Tensor centred = sub(x, mean(x, axes, true, where), where);
    return mean(mul(centred, centred, where), axes, keepdims, where);
  });
}

}  // namespace cutset
