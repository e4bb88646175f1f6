// SPDX-License-Identifier: Apache-2.0
#include <cutset/activations.h>
#include <cutset/onnx_ops/activations.h>

#include "frontends/cpp/functional/compose_activation.h"
#include "frontends/cpp/functional/dropped.h"

namespace cutset {

Tensor leaky_relu(const Tensor& x, RealNumber slope, std::source_location where) {
  return compose_activation(x, "leaky_relu", where,
                            [&](const Tensor& x, auto number) { return prelu(x, number(slope), where); });
}

Tensor elu(const Tensor& x, const TensorOrNumber& alpha, std::source_location where) {
  if (!alpha.number()) return ops::elu(x, alpha.tensor(), where);
  return compose_activation(x, "elu", where, [&](const Tensor& x, auto number) {
    return ops::elu(x, number(alpha.number()->value), where);
  });
}

Tensor celu(const Tensor& x, RealNumber alpha, std::source_location where) {
  if (alpha == 0)
    throw Error(ErrorCode::kInvalidArgument, "celu divides by alpha, which is 0", Error::line_of(where),
                "use another alpha, or relu, the limit for alphas near 0");
  return compose_activation(x, "celu", where, [&](const Tensor& x, auto number) {
    const Tensor by = number(alpha);
    if (!(alpha < 0)) return mul(ops::elu(div(x, by, where), number(1), where), by, where);
    // x / alpha has the other sign here, so elu() would keep the wrong elements.
    return cutset::where(less(x, number(0), where), mul(expm1(div(x, by, where), where), by, where), x,
                         where);
  });
}

Tensor selu(const Tensor& x, std::source_location where) {
  return compose_activation(x, "selu", where, [&](const Tensor& x, auto number) {
    return mul(ops::elu(x, number(1.67326324235437728481), where), number(1.05070098735548049342), where);
  });
}

// (1 + tanh(u)) / 2 is sigmoid(2 u).
Tensor gelu_tanh(const Tensor& x, std::source_location where) {
  return compose_activation(x, "gelu_tanh", where, [&](const Tensor& x, auto number) {
    const Tensor square = mul(x, x, where);
    const Tensor slope = add(mul(square, number(2 * 0.79788456080286535588 * 0.044715), where),
                             number(2 * 0.79788456080286535588), where);
    return mul(x, sigmoid(mul(x, slope, where), where), where);
  });
}

Tensor mish(const Tensor& x, std::source_location where) {
  return compose_activation(x, "mish", where, [&](const Tensor& x, auto) {
    return mul(x, tanh(softplus(x, where), where), where);
  });
}

Tensor softsign(const Tensor& x, std::source_location where) {
  return compose_activation(x, "softsign", where, [&](const Tensor& x, auto number) {
    return div(x, add(abs(x, where), number(1), where), where);
  });
}

Tensor hard_sigmoid(const Tensor& x, std::source_location where) {
  return onnx_ops::hard_sigmoid(x, 1. / 6, 0.5, where);
}

Tensor hard_swish(const Tensor& x, std::source_location where) {
  return compose_activation(x, "hard_swish", where,
                            [&](const Tensor& x, auto) { return mul(x, hard_sigmoid(x, where), where); });
}

Tensor dropout(const Tensor& x, RealNumber probability, std::source_location where) {
  return compose(x, "dropout", where, [&] {
    const std::string stream = "cutset.dropout." + std::to_string(x.graph()->dropouts + 1);
    const Tensor y = dropped(x, "dropout", probability, stream, where);
    ++x.graph()->dropouts;
    return y;
  });
}

}  // namespace cutset
