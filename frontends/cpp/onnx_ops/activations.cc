// SPDX-License-Identifier: Apache-2.0
#include <cutset/onnx_ops/activations.h>

#include "frontends/cpp/functional/compose_activation.h"

namespace cutset::onnx_ops {

Tensor swish(const Tensor& x, RealNumber alpha, std::source_location source) {
  return compose_activation(x, "swish", source, [&](const Tensor& x, auto number) {
    return mul(x, sigmoid(mul(x, number(alpha), source), source), source);
  });
}

Tensor hard_sigmoid(const Tensor& x, RealNumber slope, RealNumber offset, std::source_location source) {
  return compose_activation(x, "hard_sigmoid", source, [&](const Tensor& x, auto number) {
    return clip(add(mul(x, number(slope), source), number(offset), source), number(0), number(1), source);
  });
}

// The comparison with NaN is false, so `less_equal` selects x there.
Tensor thresholded_relu(const Tensor& x, RealNumber alpha, std::source_location source) {
  return compose_activation(x, "thresholded_relu", source, [&](const Tensor& x, auto number) {
    return cutset::where(less_equal(x, number(alpha), source), number(0), x, source);
  });
}

Tensor shrink(const Tensor& x, RealNumber lambda, double bias, std::source_location source) {
  return compose_activation(x, "shrink", source, [&](const Tensor& x, auto number) {
    const Tensor low = number(-lambda), high = number(lambda), moved = number(bias);
    const Tensor above = cutset::where(less_equal(x, high, source), number(0), sub(x, moved, source), source);
    return cutset::where(less(x, low, source), add(x, moved, source), above, source);
  });
}

}  // namespace cutset::onnx_ops
