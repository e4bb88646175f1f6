// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/onnx_ops/integer_products.h>
#include <cutset/quantization.h>

#include <algorithm>

#include "frontends/cpp/functional/compose.h"
#include "frontends/cpp/functional/quantization_groups.h"

namespace cutset::onnx_ops {
namespace {

using Where = std::source_location;

// The largest number of products in an exact sum: if both operands are whole, if one operand is divided into
// parts, and if both operands are divided into parts.
constexpr int64_t kWholeTerms = 258, kSplitTerms = 4112, kTwiceSplitTerms = 65536;
constexpr int64_t kTermsOfInt = 32767;  // 2^16 times this number is below 2^31

// Returns x minus its zero point, which broadcasts to x, as f32.
Tensor centred(const Quantized& q, const Tensor& zero_point, const char* function, Where source) {
  const Tensor numbers = cast(q.x, {.dtype = DType::f32}, source);
  if (!zero_point.defined()) return numbers;
  const Tensor y = sub(numbers, cast(zero_point, {.dtype = DType::f32}, source), source);
  if (y.shape() != q.x.shape())
    refuse(q.x, function, "a zero point that broadcasts to it, not " + to_string(q.zero_point.type()),
           source);
  return y;
}

void check_operand(const Quantized& q, const char* function, Where source) {
  require_tensor(q.x, function, source);
  const bool is_byte = q.x.dtype() == DType::i8 || q.x.dtype() == DType::u8;
  if (!is_byte || (q.zero_point.defined() && q.zero_point.dtype() != q.x.dtype()))
    refuse(q.x, function,
           "i8 or u8, and a zero point of the same type" +
               (q.zero_point.defined() ? ", not " + to_string(q.zero_point.type()) : ""),
           source);
}

// Returns the whole numbers x as one summand, or as two: multiples of 16, and numbers from 0 to 15.
std::vector<Tensor> parts(const Tensor& x, bool split, Where source) {
  if (!split) return {x};
  const Tensor sixteenths = floor(ops::scale(x, {.factor = 1. / 16}, source), source);
  const Tensor high = ops::scale(sixteenths, {.factor = 16}, source);
  return {high, sub(x, high, source)};
}

// Returns the exact product, as i32, of operands whose sums have `terms` terms. `product` multiplies two
// tensors of f32.
template <class Product>
Tensor exact(const Quantized& a, const Tensor& a_zero, const Quantized& b, const Tensor& b_zero,
             int64_t terms, const char* function, Where source, Product product) {
  if (terms > kTwiceSplitTerms)
    refuse(a.x, function, "sums of at most 65,536 products, not of " + std::to_string(terms), source);
  const Tensor x = centred(a, a_zero, function, source), y = centred(b, b_zero, function, source);
  Tensor sum;
  for (const Tensor& left : parts(x, terms > kWholeTerms, source))
    for (const Tensor& right : parts(y, terms > kSplitTerms, source)) {
      Tensor part = product(left, right);
      // A conversion of a number beyond the range of i32 would not wrap around.
      if (terms > kTermsOfInt) part = cast(part, {.dtype = DType::i64}, source);
      part = cast(part, {.dtype = DType::i32}, source);
      sum = sum.defined() ? add(sum, part, source) : part;
    }
  return sum;
}

// Returns a tensor with one element per index of dimension `axis` from the end, or with one element, in a
// shape that broadcasts.
Tensor beside(const Tensor& x, size_t axis, Where source) {
  if (!x.defined() || x.type().rank() == 0) return x;
  if (x.type().elements() == 1) return reshape(x, {.shape = {}}, source);
  if (x.type().rank() > 1) return x;
  Shape shape(axis + 1, 1);
  shape[0] = 0;  // keeps the size
  return reshape(x, {.shape = shape}, source);
}

// Returns a scale in a type that is exact enough for the products of two scales and all sums, in a shape that
// broadcasts along dimension `axis` from the end.
Tensor exact_scale(const Tensor& scale, size_t axis, Where source) {
  return converted(beside(scale, axis, source), exact_type(scale.dtype()), source);
}

// Returns the integers of the result that stand for the i32 `sums` times `scale`.
Tensor requantized(const Tensor& sums, const Tensor& scale, const QuantizationScale& result,
                   const char* function, Where source) {
  require_tensor(result.scale, function, source);
  require_tensor(result.zero_point, function, source);
  if (result.scale.type().elements() != 1 || result.zero_point.type().elements() != 1)
    refuse(sums, function, "one scale and one zero point of the result", source);
  const Tensor factor = div(scale, exact_scale(result.scale, 0, source), source);
  const Tensor numbers = mul(cast(sums, {.dtype = scale.dtype()}, source), factor, source);
  if (numbers.shape() != sums.shape()) refuse(sums, function, "scales that broadcast to the result", source);
  const Tensor one = constant(numbers, Number(1, source));
  return quantize_linear(numbers, one, beside(result.zero_point, 0, source), DType::u8, {}, source);
}

size_t images(const Tensor& x) { return x.shape().size() < 2 ? 0 : x.shape().size() - 2; }

}  // namespace

template <class F>
static Quantized with_each(Quantized q, F f) {
  q.x = with_each(q.x, f);
  q.zero_point = with_each(q.zero_point, f);
  return q;
}

Tensor matmul_integer(const Quantized& a, const Quantized& b, Where source) {
  const auto again = [a = kept(a), b = kept(b), source](const Counterpart& now) {
    return matmul_integer(now(a), now(b), source);
  };
  return compose(a.x, "matmul_integer", source, again, [&] {
    check_operand(a, "matmul_integer", source);
    check_operand(b, "matmul_integer", source);
    if (a.x.type().rank() < 2) refuse(a.x, "matmul_integer", "rank 2 or more", source);
    return exact(a, beside(a.zero_point, 1, source), b, beside(b.zero_point, 0, source), a.x.shape().back(),
                 "matmul_integer", source,
                 [&](const Tensor& x, const Tensor& y) { return matmul(x, y, {}, source); });
  });
}

Tensor conv_integer(const Quantized& x, const Quantized& filter, const ConvOptions& options, Where source) {
  const auto again = [x = kept(x), filter = kept(filter), options, source](const Counterpart& now) {
    return conv_integer(now(x), now(filter), options, source);
  };
  return compose(x.x, "conv_integer", source, again, [&] {
    check_operand(x, "conv_integer", source);
    check_operand(filter, "conv_integer", source);
    if (filter.x.type().rank() < 2 || x.zero_point.type().elements() != 1)
      refuse(x.x, "conv_integer", "filters of rank 3 or more, and one zero point of the images", source);
    const int64_t filters = std::max<int64_t>(filter.x.shape()[0], 1);
    return exact(
        x, beside(x.zero_point, 0, source), filter, beside(filter.zero_point, images(filter.x) + 1, source),
        filter.x.type().elements() / filters, "conv_integer", source,
        [&](const Tensor& left, const Tensor& right) { return conv(left, right, {}, options, source); });
  });
}

Tensor qlinear_matmul(const Quantized& a, const Tensor& a_scale, const Quantized& b, const Tensor& b_scale,
                      const QuantizationScale& result, Where source) {
  return compose(a.x, "qlinear_matmul", source, [&] {
    require_tensor(a_scale, "qlinear_matmul", source);
    require_tensor(b_scale, "qlinear_matmul", source);
    const Tensor scale = mul(exact_scale(a_scale, 1, source), exact_scale(b_scale, 0, source), source);
    return requantized(matmul_integer(a, b, source), scale, result, "qlinear_matmul", source);
  });
}

Tensor qlinear_conv(const Quantized& x, const Tensor& x_scale, const Quantized& filter,
                    const Tensor& filter_scale, const QuantizationScale& result, const Tensor& bias,
                    const ConvOptions& options, Where source) {
  return compose(x.x, "qlinear_conv", source, [&] {
    require_tensor(x_scale, "qlinear_conv", source);
    require_tensor(filter_scale, "qlinear_conv", source);
    Tensor sums = conv_integer(x, filter, options, source);
    if (bias.defined()) {
      if (bias.type() != TensorType{DType::i32, {sums.shape()[1]}})
        refuse(x.x, "qlinear_conv",
               "a bias of i32 with one element per output channel, not " + to_string(bias.type()), source);
      sums = add(sums, beside(bias, images(x.x), source), source);
    }
    const Tensor scale =
        mul(exact_scale(x_scale, 0, source), exact_scale(filter_scale, images(x.x), source), source);
    return requantized(sums, scale, result, "qlinear_conv", source);
  });
}

}  // namespace cutset::onnx_ops
