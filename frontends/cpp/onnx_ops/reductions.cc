// SPDX-License-Identifier: Apache-2.0
#include <cutset/onnx_ops/reductions.h>

#include "frontends/cpp/functional/compose_in_f32.h"

namespace cutset::onnx_ops {

using Where = std::source_location;

Tensor sum_square(const Tensor& x, const AxisList& axes, bool keepdims, Where source) {
  return compose_in_f32(x, "sum_square", source, std::tie(x),
                        [&](const Tensor& x) { return sum(mul(x, x, source), axes, keepdims, source); });
}

Tensor log_sum(const Tensor& x, const AxisList& axes, bool keepdims, Where source) {
  return compose_in_f32(x, "log_sum", source, std::tie(x),
                        [&](const Tensor& x) { return log(sum(x, axes, keepdims, source), source); });
}

}  // namespace cutset::onnx_ops
