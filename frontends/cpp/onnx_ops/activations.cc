// SPDX-License-Identifier: Apache-2.0
#include <cutset/onnx_ops/activations.h>

#include "frontends/cpp/functional/compose_activation.h"

namespace cutset::onnx_ops {

Tensor swish(const Tensor& x, RealNumber alpha, std::source_location where) {
  return compose_activation(x, "swish", where, [&](const Tensor& x, auto number) {
    return mul(x, sigmoid(mul(x, number(alpha), where), where), where);
  });
}

Tensor hard_sigmoid(const Tensor& x, RealNumber slope, RealNumber offset, std::source_location where) {
  return compose_activation(x, "hard_sigmoid", where, [&](const Tensor& x, auto number) {
    return clip(add(mul(x, number(slope), where), number(offset), where), number(0), number(1), where);
  });
}

// The comparison with NaN is false, so `less_equal` selects x there.
Tensor thresholded_relu(const Tensor& x, RealNumber alpha, std::source_location where) {
  return compose_activation(x, "thresholded_relu", where, [&](const Tensor& x, auto number) {
    return cutset::where(less_equal(x, number(alpha), where), number(0), x, where);
  });
}

Tensor shrink(const Tensor& x, RealNumber lambda, double bias, std::source_location where) {
  return compose_activation(x, "shrink", where, [&](const Tensor& x, auto number) {
    const Tensor low = number(-lambda), high = number(lambda), moved = number(bias);
    const Tensor above = cutset::where(less_equal(x, high, where), number(0), sub(x, moved, where), where);
    return cutset::where(less(x, low, where), add(x, moved, where), above, where);
  });
}

}  // namespace cutset::onnx_ops
