// SPDX-License-Identifier: Apache-2.0
#include <cutset/activations.h>
#include <cutset/onnx_ops/activations.h>

#include "frontends/cpp/functional/compose_activation.h"
#include "frontends/cpp/functional/dropped.h"

namespace cutset {

Tensor leaky_relu(const Tensor& x, RealNumber slope, std::source_location source) {
  return compose_activation(x, "leaky_relu", source,
                            [&](const Tensor& x, auto number) { return prelu(x, number(slope), source); });
}

Tensor elu(const Tensor& x, const TensorOrNumber& alpha, std::source_location source) {
  if (!alpha.number()) return ops::elu(x, alpha.tensor(), source);
  return compose_activation(x, "elu", source, [&](const Tensor& x, auto number) {
    return ops::elu(x, number(alpha.number()->value), source);
  });
}

Tensor celu(const Tensor& x, RealNumber alpha, std::source_location source) {
  if (alpha == 0)
    throw Error(ErrorCode::kInvalidArgument, "celu divides by alpha, which is 0", Error::line_of(source),
                "use another alpha, or relu, the limit for alphas near 0");
  return compose_activation(x, "celu", source, [&](const Tensor& x, auto number) {
    const Tensor by = number(alpha);
    if (!(alpha < 0)) return mul(ops::elu(div(x, by, source), number(1), source), by, source);
    // x / alpha has the opposite sign here, so elu() would keep the wrong elements.
    return cutset::where(less(x, number(0), source), mul(expm1(div(x, by, source), source), by, source), x,
                         source);
  });
}

Tensor selu(const Tensor& x, std::source_location source) {
  return compose_activation(x, "selu", source, [&](const Tensor& x, auto number) {
    return mul(ops::elu(x, number(1.67326324235437728481), source), number(1.05070098735548049342), source);
  });
}

// (1 + tanh(u)) / 2 is sigmoid(2 u).
Tensor gelu_tanh(const Tensor& x, std::source_location source) {
  return compose_activation(x, "gelu_tanh", source, [&](const Tensor& x, auto number) {
    const Tensor square = mul(x, x, source);
    const Tensor slope = add(mul(square, number(2 * 0.79788456080286535588 * 0.044715), source),
                             number(2 * 0.79788456080286535588), source);
    return mul(x, sigmoid(mul(x, slope, source), source), source);
  });
}

Tensor mish(const Tensor& x, std::source_location source) {
  return compose_activation(x, "mish", source, [&](const Tensor& x, auto) {
    return mul(x, tanh(softplus(x, source), source), source);
  });
}

Tensor softsign(const Tensor& x, std::source_location source) {
  return compose_activation(x, "softsign", source, [&](const Tensor& x, auto number) {
    return div(x, add(abs(x, source), number(1), source), source);
  });
}

Tensor hard_sigmoid(const Tensor& x, std::source_location source) {
  return onnx_ops::hard_sigmoid(x, 1. / 6, 0.5, source);
}

Tensor hard_swish(const Tensor& x, std::source_location source) {
  return compose_activation(x, "hard_swish", source,
                            [&](const Tensor& x, auto) { return mul(x, hard_sigmoid(x, source), source); });
}

Tensor dropout(const Tensor& x, RealNumber probability, std::source_location source) {
  return compose(x, "dropout", source, [&] {
    const std::string stream = "cutset.dropout." + std::to_string(x.graph()->dropouts + 1);
    const Tensor y = dropped(x, "dropout", probability, stream, source);
    ++x.graph()->dropouts;
    return y;
  });
}

}  // namespace cutset
