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

// The largest numbers of products in a sum: of whole operands; of the parts of one operand and the whole
// other; of parts of both.
constexpr int64_t kWholeTerms = 258, kSplitTerms = 4112, kTwiceSplitTerms = 65536;
constexpr int64_t kTermsOfInt = 32767;  // 2^16 times this number is below 2^31

// x minus its zero point, which broadcasts to x, as f32.
Tensor centred(const Quantized& q, const Tensor& zero_point, const char* function, Where where) {
  const Tensor numbers = cast(q.x, {.dtype = DType::f32}, where);
  if (!zero_point.defined()) return numbers;
  const Tensor y = sub(numbers, cast(zero_point, {.dtype = DType::f32}, where), where);
  if (y.shape() != q.x.shape())
    refuse(q.x, function, "a zero point that broadcasts to it, not " + to_string(q.zero_point.type()), where);
  return y;
}

void check_operand(const Quantized& q, const char* function, Where where) {
  require_tensor(q.x, function, where);
  const bool is_byte = q.x.dtype() == DType::i8 || q.x.dtype() == DType::u8;
  if (!is_byte || (q.zero_point.defined() && q.zero_point.dtype() != q.x.dtype()))
    refuse(q.x, function,
           "i8 or u8, and a zero point of the same type" +
               (q.zero_point.defined() ? ", not " + to_string(q.zero_point.type()) : ""),
           where);
}

// The whole numbers x as one summand, or as two: multiples of 16, and numbers from 0 to 15.
std::vector<Tensor> parts(const Tensor& x, bool split, Where where) {
  if (!split) return {x};
  const Tensor sixteenths = floor(ops::scale(x, {.factor = 1. / 16}, where), where);
  const Tensor high = ops::scale(sixteenths, {.factor = 16}, where);
  return {high, sub(x, high, where)};
}

// The exact product, as i32, of operands whose sums have `terms` terms. `product` multiplies two tensors of
// f32.
template <class Product>
Tensor exact(const Quantized& a, const Tensor& a_zero, const Quantized& b, const Tensor& b_zero,
             int64_t terms, const char* function, Where where, Product product) {
  if (terms > kTwiceSplitTerms)
    refuse(a.x, function, "sums of at most 65,536 products, not of " + std::to_string(terms), where);
  const Tensor x = centred(a, a_zero, function, where), y = centred(b, b_zero, function, where);
  Tensor sum;
  for (const Tensor& left : parts(x, terms > kWholeTerms, where))
    for (const Tensor& right : parts(y, terms > kSplitTerms, where)) {
      Tensor part = product(left, right);
      // A conversion of a number beyond the range of i32 would not wrap around.
      if (terms > kTermsOfInt) part = cast(part, {.dtype = DType::i64}, where);
      part = cast(part, {.dtype = DType::i32}, where);
      sum = sum.defined() ? add(sum, part, where) : part;
    }
  return sum;
}

// A tensor with one element per index of dimension `axis` from the end, or with one element, in a shape that
// broadcasts.
Tensor beside(const Tensor& x, size_t axis, Where where) {
  if (!x.defined() || x.type().rank() == 0) return x;
  if (x.type().elements() == 1) return reshape(x, {.shape = {}}, where);
  if (x.type().rank() > 1) return x;
  Shape shape(axis + 1, 1);
  shape[0] = 0;  // keeps the size
  return reshape(x, {.shape = shape}, where);
}

// A scale in a type that holds the products of two scales and all sums, in a shape that broadcasts along
// dimension `axis` from the end.
Tensor exact_scale(const Tensor& scale, size_t axis, Where where) {
  return converted(beside(scale, axis, where), exact_type(scale.dtype()), where);
}

// The integers of the result that stand for the i32 `sums` times `scale`.
Tensor requantized(const Tensor& sums, const Tensor& scale, const QuantizationScale& result,
                   const char* function, Where where) {
  require_tensor(result.scale, function, where);
  require_tensor(result.zero_point, function, where);
  if (result.scale.type().elements() != 1 || result.zero_point.type().elements() != 1)
    refuse(sums, function, "one scale and one zero point of the result", where);
  const Tensor factor = div(scale, exact_scale(result.scale, 0, where), where);
  const Tensor numbers = mul(cast(sums, {.dtype = scale.dtype()}, where), factor, where);
  if (numbers.shape() != sums.shape()) refuse(sums, function, "scales that broadcast to the result", where);
  const Tensor one = constant(numbers, Number(1, where));
  return quantize_linear(numbers, one, beside(result.zero_point, 0, where), DType::u8, {}, where);
}

size_t images(const Tensor& x) { return x.shape().size() < 2 ? 0 : x.shape().size() - 2; }

}  // namespace

template <class F>
static Quantized with_each(Quantized q, F f) {
  q.x = with_each(q.x, f), q.zero_point = with_each(q.zero_point, f);
  return q;
}

Tensor matmul_integer(const Quantized& a, const Quantized& b, Where where) {
  const auto again = [a = kept(a), b = kept(b), where](const Counterpart& now) {
    return matmul_integer(now(a), now(b), where);
  };
  return compose(a.x, "matmul_integer", where, again, [&] {
    check_operand(a, "matmul_integer", where), check_operand(b, "matmul_integer", where);
    if (a.x.type().rank() < 2) refuse(a.x, "matmul_integer", "rank 2 or more", where);
    return exact(a, beside(a.zero_point, 1, where), b, beside(b.zero_point, 0, where), a.x.shape().back(),
                 "matmul_integer", where,
                 [&](const Tensor& x, const Tensor& y) { return matmul(x, y, {}, where); });
  });
}

Tensor conv_integer(const Quantized& x, const Quantized& filter, const ConvOptions& options, Where where) {
  const auto again = [x = kept(x), filter = kept(filter), options, where](const Counterpart& now) {
    return conv_integer(now(x), now(filter), options, where);
  };
  return compose(x.x, "conv_integer", where, again, [&] {
    check_operand(x, "conv_integer", where), check_operand(filter, "conv_integer", where);
    if (filter.x.type().rank() < 2 || x.zero_point.type().elements() != 1)
      refuse(x.x, "conv_integer", "filters of rank 3 or more, and one zero point of the images", where);
    const int64_t filters = std::max<int64_t>(filter.x.shape()[0], 1);
    return exact(
        x, beside(x.zero_point, 0, where), filter, beside(filter.zero_point, images(filter.x) + 1, where),
        filter.x.type().elements() / filters, "conv_integer", where,
        [&](const Tensor& left, const Tensor& right) { return conv(left, right, {}, options, where); });
  });
}

Tensor qlinear_matmul(const Quantized& a, const Tensor& a_scale, const Quantized& b, const Tensor& b_scale,
                      const QuantizationScale& result, Where where) {
  return compose(a.x, "qlinear_matmul", where, [&] {
    require_tensor(a_scale, "qlinear_matmul", where), require_tensor(b_scale, "qlinear_matmul", where);
    const Tensor scale = mul(exact_scale(a_scale, 1, where), exact_scale(b_scale, 0, where), where);
    return requantized(matmul_integer(a, b, where), scale, result, "qlinear_matmul", where);
  });
}

Tensor qlinear_conv(const Quantized& x, const Tensor& x_scale, const Quantized& filter,
                    const Tensor& filter_scale, const QuantizationScale& result, const Tensor& bias,
                    const ConvOptions& options, Where where) {
  return compose(x.x, "qlinear_conv", where, [&] {
    require_tensor(x_scale, "qlinear_conv", where), require_tensor(filter_scale, "qlinear_conv", where);
    Tensor sums = conv_integer(x, filter, options, where);
    if (bias.defined()) {
      if (bias.type() != TensorType{DType::i32, {sums.shape()[1]}})
        refuse(x.x, "qlinear_conv",
               "a bias of i32 with one element per output channel, not " + to_string(bias.type()), where);
      sums = add(sums, beside(bias, images(x.x), where), where);
    }
    const Tensor scale =
        mul(exact_scale(x_scale, 0, where), exact_scale(filter_scale, images(x.x), where), where);
    return requantized(sums, scale, result, "qlinear_conv", where);
  });
}

}  // namespace cutset::onnx_ops
