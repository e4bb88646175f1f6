// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/onnx_ops/quantization.h>
#include <cutset/ops.h>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/quantization_groups.h"

namespace cutset::onnx_ops {

using Where = std::source_location;

template <class F>
static DynamicallyQuantized with_each(DynamicallyQuantized q, F f) {
  for (Tensor* x : {&q.y, &q.scale, &q.zero_point}) *x = with_each(*x, f);
  return q;
}

DynamicallyQuantized dynamic_quantize_linear(const Tensor& x, Where source) {
  const auto of_type = [&](const Tensor& number) { return converted(number, x.dtype(), source); };
  return compose_in_f32(x, "dynamic_quantize_linear", source, std::tie(x), [&](const Tensor& x) {
    if (!is_float(x.dtype())) refuse(x, "dynamic_quantize_linear", "a floating-point type", source);
    const auto number = [&](double value) { return constant(x, Number(value, source)); };
    const Tensor largest = maximum(ops::reduce_max(x, {}, source), number(0), source);
    const Tensor smallest = minimum(ops::reduce_min(x, {}, source), number(0), source);
    const Tensor range = sub(largest, smallest, source);
    DynamicallyQuantized q;
    // The integers stand for multiples of the scale that the caller gets. Where `rounded` is 0, the scale is
    // 1 / 255.
    const Tensor rounded = of_type(div(range, number(255), source));
    q.scale = cutset::where(cutset::equal(rounded, constant(rounded, Number(0, source)), source),
                            constant(rounded, Number(1. / 255, source)), rounded, source);
    const Tensor scale = converted(q.scale, x.dtype(), source);
    const Tensor zero = clip(div(neg(smallest, source), scale, source), number(0), number(255), source);
    q.zero_point = cast(round(zero, source), {.dtype = DType::u8}, source);
    q.y = quantize_linear(x, scale, q.zero_point, DType::u8, {}, source);
    return q;
  });
}

}  // namespace cutset::onnx_ops
