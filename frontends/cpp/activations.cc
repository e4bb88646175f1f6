#include <cutset/activations.h>
#include <cutset/constants.h>

#include "frontends/cpp/compose_in_f32.h"
#include "frontends/cpp/dropped.h"

namespace cutset {
namespace {

// Returns what `build` appends for x and for a function that makes a number beside x.
template <class Build>
Tensor append_all(const Tensor& x, const char* function, std::source_location where, Build build) {
  require_tensor(x, function, where);
  if (!is_float(x.dtype()))
    throw Error(ErrorCode::kInvalidArgument,
                std::string(function) + " of " + to_string(x.type()) + " needs a floating-point type",
                Error::line_of(where), "cast it");
  return compose_in_f32(x, function, where, std::tie(x), [&](const Tensor& x) {
    return build(x, [&](double value) { return constant(x, Number(value, where)); });
  });
}

}  // namespace

Tensor leaky_relu(const Tensor& x, RealNumber slope, std::source_location where) {
  return append_all(x, "leaky_relu", where,
                    [&](const Tensor& x, auto number) { return prelu(x, number(slope), where); });
}

Tensor elu(const Tensor& x, const TensorOrNumber& alpha, std::source_location where) {
  if (!alpha.number()) return ops::elu(x, alpha.tensor(), where);
  return append_all(x, "elu", where,
                    [&](const Tensor& x, auto number) { return ops::elu(x, number(alpha.number()->value), where); });
}

Tensor celu(const Tensor& x, RealNumber alpha, std::source_location where) {
  if (alpha == 0)
    throw Error(ErrorCode::kInvalidArgument, "celu divides by alpha, which is 0", Error::line_of(where),
                "use another alpha, or relu, the limit for alphas near 0");
  return append_all(x, "celu", where, [&](const Tensor& x, auto number) {
    const Tensor by = number(alpha);
    if (!(alpha < 0)) return mul(ops::elu(div(x, by, where), number(1), where), by, where);
    // x / alpha has the other sign here, so elu() would keep the wrong elements.
    return cutset::where(less(x, number(0), where), mul(expm1(div(x, by, where), where), by, where), x, where);
  });
}

Tensor selu(const Tensor& x, std::source_location where) {
  return append_all(x, "selu", where, [&](const Tensor& x, auto number) {
    return mul(ops::elu(x, number(1.67326324235437728481), where), number(1.05070098735548049342), where);
  });
}

// (1 + tanh(u)) / 2 is sigmoid(2 u).
Tensor gelu_tanh(const Tensor& x, std::source_location where) {
  return append_all(x, "gelu_tanh", where, [&](const Tensor& x, auto number) {
    const Tensor square = mul(x, x, where);
    const Tensor slope = add(mul(square, number(2 * 0.79788456080286535588 * 0.044715), where),
                             number(2 * 0.79788456080286535588), where);
    return mul(x, sigmoid(mul(x, slope, where), where), where);
  });
}

Tensor swish(const Tensor& x, RealNumber alpha, std::source_location where) {
  return append_all(x, "swish", where, [&](const Tensor& x, auto number) {
    return mul(x, sigmoid(mul(x, number(alpha), where), where), where);
  });
}

Tensor mish(const Tensor& x, std::source_location where) {
  return append_all(x, "mish", where,
                    [&](const Tensor& x, auto) { return mul(x, tanh(softplus(x, where), where), where); });
}

Tensor softsign(const Tensor& x, std::source_location where) {
  return append_all(x, "softsign", where,
                    [&](const Tensor& x, auto number) { return div(x, add(abs(x, where), number(1), where), where); });
}

Tensor hard_sigmoid(const Tensor& x, RealNumber slope, RealNumber offset, std::source_location where) {
  return append_all(x, "hard_sigmoid", where, [&](const Tensor& x, auto number) {
    return clip(add(mul(x, number(slope), where), number(offset), where), number(0), number(1), where);
  });
}

Tensor hard_swish(const Tensor& x, std::source_location where) {
  return append_all(x, "hard_swish", where,
                    [&](const Tensor& x, auto) { return mul(x, hard_sigmoid(x, 1. / 6, 0.5, where), where); });
}

// The comparison with NaN is false, so `less_equal` selects x there.
Tensor thresholded_relu(const Tensor& x, RealNumber alpha, std::source_location where) {
  return append_all(x, "thresholded_relu", where, [&](const Tensor& x, auto number) {
    return cutset::where(less_equal(x, number(alpha), where), number(0), x, where);
  });
}

Tensor shrink(const Tensor& x, RealNumber lambda, double bias, std::source_location where) {
  return append_all(x, "shrink", where, [&](const Tensor& x, auto number) {
    const Tensor low = number(-lambda), high = number(lambda), moved = number(bias);
    const Tensor above = cutset::where(less_equal(x, high, where), number(0), sub(x, moved, where), where);
    return cutset::where(less(x, low, where), add(x, moved, where), above, where);
  });
}

Tensor dropout(const Tensor& x, RealNumber probability, std::source_location where) {
  require_tensor(x, "dropout", where);
  Undo undo(x.graph());
  const int64_t call = x.graph()->dropouts + 1;
  Tensor y = dropped(x, "dropout", probability, "cutset.dropout." + std::to_string(call), where);
  undo.keep();
  x.graph()->dropouts = call;
  return y;
}

}  // namespace cutset
