// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/onnx_ops/normalizations.h>
#include <cutset/reductions.h>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/response_norm.h"

namespace cutset::onnx_ops {

using Where = std::source_location;

Tensor mean_variance_norm(const Tensor& x, const AxisList& axes, RealNumber epsilon, Where where) {
  return compose_in_f32(x, "mean_variance_norm", where, std::tie(x), [&](const Tensor& x) {
    const Tensor centred = sub(x, mean(x, axes, true, where), where);
    const Tensor variance = mean(mul(centred, centred, where), axes, true, where);
    return div(centred, sqrt(add(variance, constant(variance, Number(double(epsilon), where)), where), where),
               where);
  });
}

Tensor lp_normalize(const Tensor& x, WholeNumber axis, WholeNumber p, Where where) {
  return compose_in_f32(x, "lp_normalize", where, std::tie(x), [&](const Tensor& x) {
    if (p != 1 && p != 2) refuse(x, "lp_normalize", "p = 1 or p = 2, not " + std::to_string(p), where);
    const Tensor norm = p == 1 ? l1_norm(x, {axis}, true, where) : l2_norm(x, {axis}, true, where);
    const Tensor zero = constant(x, Number(0, where)), one = constant(x, Number(1, where));
    return div(x, cutset::where(cutset::equal(norm, zero, where), one, norm, where), where);
  });
}

Tensor local_response_norm(const Tensor& x, int64_t size, RealNumber alpha, RealNumber beta, RealNumber bias,
                           Where where) {
  return response_norm(x, {size, (size - 1) / 2, alpha, beta, bias}, where);
}

}  // namespace cutset::onnx_ops
