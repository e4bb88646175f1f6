#include <cutset/constants.h>
#include <cutset/layers.h>
#include <cutset/reductions.h>

#include <cmath>

#include "frontends/cpp/compose_in_f32.h"
#include "frontends/cpp/norms.h"

namespace cutset {

using Where = std::source_location;
using Axes = std::vector<int64_t>;

Tensor sum_square(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return compose_in_f32(x, "sum_square", where, std::tie(x),
                        [&](const Tensor& x) { return sum(mul(x, x, where), axes, keepdims, where); });
}

Tensor l1_norm(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return compose(x, "l1_norm", where, [&] { return sum(abs(x, where), axes, keepdims, where); });
}

Tensor l2_norm(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return compose_in_f32(x, "l2_norm", where, std::tie(x),
                        [&](const Tensor& x) { return root_of_norm(sum_square(x, axes, keepdims, where), 2, where); });
}

Tensor log_sum(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return compose_in_f32(x, "log_sum", where, std::tie(x),
                        [&](const Tensor& x) { return log(sum(x, axes, keepdims, where), where); });
}

// An infinite largest element is not subtracted: infinity - infinity would be NaN. A NaN is subtracted, and stays.
Tensor log_sum_exp(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return compose_in_f32(x, "log_sum_exp", where, std::tie(x), [&](const Tensor& x) {
    if (!is_float(x.dtype())) refuse(x, "log_sum_exp", "a floating-point type", where);
    const Tensor largest = reduce_max(x, {.axes = axes, .keepdims = true}, where);
    const Tensor infinite = equal(abs(largest, where), constant(x, Number(HUGE_VAL, where)), where);
    const Tensor offset = cutset::where(infinite, constant(x, Number(0, where)), largest, where);
    const Tensor total = sum(exp(sub(x, offset, where), where), axes, true, where);
    const Tensor kept = add(log(total, where), offset, where);
    if (keepdims) return kept;
    return ops::reshape_like(kept, reduce_max(x, {.axes = axes, .keepdims = false}, where), where);
  });
}

Tensor variance(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return compose_in_f32(x, "variance", where, std::tie(x), [&](const Tensor& x) {
    const Tensor centred = sub(x, mean(x, axes, true, where), where);
    return mean(mul(centred, centred, where), axes, keepdims, where);
  });
}

}  // namespace cutset
