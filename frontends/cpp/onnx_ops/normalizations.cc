// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/onnx_ops/normalizations.h>
#include <cutset/reductions.h>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/response_norm.h"

namespace cutset::onnx_ops {

using Where = std::source_location;

Tensor mean_variance_norm(const Tensor& x, const AxisList& axes, RealNumber epsilon, Where source) {
  return compose_in_f32(x, "mean_variance_norm", source, std::tie(x), [&](const Tensor& x) {
    const Tensor centred = sub(x, mean(x, axes, true, source), source);
    const Tensor variance = mean(mul(centred, centred, source), axes, true, source);
    return div(centred,
               sqrt(add(variance, constant(variance, Number(double(epsilon), source)), source), source),
               source);
  });
}

Tensor lp_normalize(const Tensor& x, WholeNumber axis, WholeNumber p, Where source) {
  return compose_in_f32(x, "lp_normalize", source, std::tie(x), [&](const Tensor& x) {
    if (p != 1 && p != 2) refuse(x, "lp_normalize", "p = 1 or p = 2, not " + std::to_string(p), source);
    const Tensor norm = p == 1 ? l1_norm(x, {axis}, true, source) : l2_norm(x, {axis}, true, source);
    const Tensor zero = constant(x, Number(0, source)), one = constant(x, Number(1, source));
    return div(x, cutset::where(cutset::equal(norm, zero, source), one, norm, source), source);
  });
}

Tensor local_response_norm(const Tensor& x, int64_t size, RealNumber alpha, RealNumber beta, RealNumber bias,
                           Where source) {
  return response_norm(x, {size, (size - 1) / 2, alpha, beta, bias}, source);
}

}  // namespace cutset::onnx_ops
