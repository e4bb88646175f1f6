// SPDX-License-Identifier: Apache-2.0
#include <cutset/onnx_ops/pooling.h>
#include <cutset/reductions.h>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/images/pooled.h"
#include "frontends/cpp/functional/norms.h"

namespace cutset::onnx_ops {

Tensor global_lp_pool(const Tensor& x, double p, std::source_location source) {
  require_power(p, "global_lp_pool", source);
  return compose_in_f32(x, "global_lp_pool", source, std::tie(x), [&](const Tensor& x) {
    const std::vector<int64_t> axes = image_axes(x, "global_lp_pool", source);
    return root_of_norm(sum(power_of_norm(x, p, source), axes, true, source), p, source);
  });
}

}  // namespace cutset::onnx_ops
