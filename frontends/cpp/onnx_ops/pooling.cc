// SPDX-License-Identifier: Apache-2.0
#include <cutset/onnx_ops/pooling.h>
#include <cutset/reductions.h>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/images/pooled.h"
#include "frontends/cpp/functional/norms.h"

namespace cutset::onnx_ops {

Tensor global_lp_pool(const Tensor& x, double p, std::source_location where) {
  require_power(p, "global_lp_pool", where);
  return compose_in_f32(x, "global_lp_pool", where, std::tie(x), [&](const Tensor& x) {
    const std::vector<int64_t> axes = image_axes(x, "global_lp_pool", where);
    return root_of_norm(sum(power_of_norm(x, p, where), axes, true, where), p, where);
  });
}

}  // namespace cutset::onnx_ops
