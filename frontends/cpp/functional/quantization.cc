// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/quantization.h>

#include <algorithm>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/quantization_groups.h"

namespace cutset {
namespace {

using Where = std::source_location;

constexpr int64_t kMaxInteger = int64_t{1} << 20;  // f32 holds halves of these integers

bool is_quantized(DType type) {
  return type == DType::i8 || type == DType::u8 || type == DType::i16 || type == DType::u16 ||
         type == DType::i32 || type == DType::u32;
}

bool is_wide(DType type) { return size_of(type) > 2; }

void check_scale(const Tensor& x, const char* function, const Tensor& scale, Where source) {
  require_tensor(scale, function, source);
  if (!is_float(scale.dtype()))
    refuse(x, function, "a floating-point scale, not " + to_string(scale.type()), source);
}

// Returns the sum of the whole numbers x and a zero point of 32 bits, which f32 cannot represent, in the type
// of the zero point. The sum has the type i64, and x is limited first so that it does not wrap around.
Tensor wide_sum(const Tensor& x, const Tensor& zero_point, Where source) {
  const auto number = [&](const Tensor& like, double value) { return constant(like, Number(value, source)); };
  const Tensor limited = clip(x, number(x, -0x1p40), number(x, 0x1p40), source);
  const Tensor sum = add(cast(limited, {.dtype = DType::i64}, source),
                         cast(zero_point, {.dtype = DType::i64}, source), source);
  const bool is_signed = zero_point.dtype() == DType::i32;
  const Tensor bounded = clip(sum, number(sum, is_signed ? -0x1p31 : 0),
                              number(sum, is_signed ? 0x1p31 - 1 : 0x1p32 - 1), source);
  const Tensor y = cast(bounded, {.dtype = zero_point.dtype()}, source);
  return cutset::where(cutset::equal(x, x, source), y, number(y, 0), source);  // NaN becomes 0
}

}  // namespace

Tensor quantize_linear(const Tensor& x, const Tensor& scale, const Tensor& zero_point, DType type,
                       const QuantizationGroups& groups, Where source) {
  const auto again = [x = kept(x), scale = kept(scale), zero_point = kept(zero_point), type, groups,
                      source](const Counterpart& now) {
    return quantize_linear(now(x), now(scale), now(zero_point), type, groups, source);
  };
  return compose_in_f32(
      x, "quantize_linear", source, again, std::tie(x, scale), [&](const Tensor& x, const Tensor& scale) {
        check_scale(x, "quantize_linear", scale, source);
        const DType integers = zero_point.defined() ? zero_point.dtype() : type;
        if (scale.dtype() != x.dtype() || !is_quantized(integers))
          refuse(x, "quantize_linear",
                 "a scale of the same type, and a result of i8, u8, i16, u16, i32 or u32, not the scale " +
                     to_string(scale.type()) + " and the result " +
                     (is_dtype(integers) ? name_of(integers) : "of no type"),
                 source);
        Tensor y = round(div(x, of_elements(scale, x, "quantize_linear", groups, source), source), source);
        Tensor zero;
        if (zero_point.defined()) zero = of_elements(zero_point, x, "quantize_linear", groups, source);
        if (zero.defined()) {
          y = converted(y, exact_type(x.dtype()), source);
          if (is_wide(integers)) return wide_sum(y, zero, source);
          y = add(y, cast(zero, {.dtype = y.dtype()}, source), source);
        }
        return cast(y, {.dtype = integers}, source);  // limits to the range of the type
      });
}

Tensor dequantize_linear(const Tensor& x, const Tensor& scale, const Tensor& zero_point,
                         const QuantizationGroups& groups, Where source) {
  const auto again = [x = kept(x), scale = kept(scale), zero_point = kept(zero_point), groups,
                      source](const Counterpart& now) {
    return dequantize_linear(now(x), now(scale), now(zero_point), groups, source);
  };
  return compose(x, "dequantize_linear", source, again, [&] {
    check_scale(x, "dequantize_linear", scale, source);
    if (!is_quantized(x.dtype()) || (zero_point.defined() && zero_point.dtype() != x.dtype()))
      refuse(x, "dequantize_linear",
             "integers of i8, u8, i16, u16, i32 or u32, and a zero point of their type" +
                 (zero_point.defined() ? ", not " + to_string(zero_point.type()) : ""),
             source);
    const DType exact = is_wide(x.dtype()) ? DType::i64 : exact_type(scale.dtype());
    Tensor y = cast(x, {.dtype = exact}, source);
    if (zero_point.defined()) {
      const Tensor zero = of_elements(zero_point, x, "dequantize_linear", groups, source);
      y = sub(y, cast(zero, {.dtype = exact}, source), source);
    }
    const DType floats = exact_type(scale.dtype());  // f16 has no number 65536
    const Tensor factor =
        converted(of_elements(scale, x, "dequantize_linear", groups, source), floats, source);
    return converted(mul(converted(y, floats, source), factor, source), scale.dtype(), source);
  });
}

// `round` has no gradient, so a remainder with the gradient 1 is added. Its divisor is so small that the
// remainder is 0 or below 2^-100: an f32 above 2^-77 is a multiple of the divisor.
Tensor fake_quantize(const Tensor& x, const Tensor& scale, const Tensor& zero_point,
                     const QuantizationRange& range, const QuantizationGroups& groups, Where source) {
  const auto again = [x = kept(x), scale = kept(scale), zero_point = kept(zero_point), range, groups,
                      source](const Counterpart& now) {
    return fake_quantize(now(x), now(scale), now(zero_point), range, groups, source);
  };
  return compose(x, "fake_quantize", source, again, [&] {
    check_scale(x, "fake_quantize", scale, source);
    const bool fits = scale.dtype() == x.dtype() && size_of(x.dtype()) >= 4;
    if (!fits || (zero_point.defined() && !is_quantized(zero_point.dtype())) || range.low >= range.high ||
        std::min(range.low, -range.high) < -kMaxInteger)
      refuse(x, "fake_quantize",
             "f32 or f64 with a scale of the same type, an integer zero point, and low < high", source);
    const auto number = [&](double value) { return constant(x, Number(value, source)); };
    const auto low = static_cast<double>(range.low), high = static_cast<double>(range.high);
    const Tensor factor = of_elements(scale, x, "fake_quantize", groups, source);
    Tensor zero = number(0);
    if (zero_point.defined())
      zero = cast(of_elements(zero_point, x, "fake_quantize", groups, source), {.dtype = x.dtype()}, source);
    const Tensor steps = div(x, factor, source);
    const Tensor integer = clip(add(round(steps, source), zero, source), number(low), number(high), source);
    const Tensor in_range = clip(add(steps, zero, source), number(low - 0.5), number(high + 0.5), source);
    const Tensor vanishing = fmod(in_range, number(0x1p-100), source);
    return mul(add(sub(integer, zero, source), vanishing, source), factor, source);
  });
}

}  // namespace cutset
