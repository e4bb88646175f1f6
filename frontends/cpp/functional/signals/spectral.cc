// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/shapes.h>
#include <cutset/spectral.h>

#include <algorithm>
#include <cmath>

#include "frontends/cpp/functional/arange.h"
#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/signals/turns.h"

namespace cutset {
namespace {

using Where = std::source_location;

constexpr int64_t kMaxLength = int64_t{1} << 24;  // products of two indices stay below 2^48
constexpr int64_t kMaxPrime = 1024;               // a prime length is one product with a square matrix
constexpr int64_t kShort =
    64;  // up to this length one matrix product takes no longer than two shorter products

// An empty imaginary part is 0.
struct Complex {
  Tensor real, imaginary;
};

// Applies the same function to both parts.
template <class F>
Complex of_parts(const Complex& z, F f) {
  return {f(z.real), z.imaginary.defined() ? f(z.imaginary) : Tensor()};
}

// Returns the largest divisor of n that is at most its root.
int64_t divisor(int64_t n) {
  for (auto d = static_cast<int64_t>(std::sqrt(static_cast<double>(n))); d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

bool is_possible(int64_t n) {
  const int64_t d = divisor(n);
  return d == 1 ? n <= kMaxPrime : is_possible(d) && is_possible(n / d);
}

// Transforms of the rows of matrices, with angles of one sign.
class Transform {
 public:
  Transform(const Tensor& like, double sign, Where source)
      : graph_(like.graph()), type_(like.dtype()), sign_(sign), source_(source) {}

  // Transforms each row of z, [rows, n].
  Complex of_rows(const Complex& z, int64_t n) const {
    const int64_t n1 = divisor(n), n2 = n / n1;
    if (n <= kShort || n1 == 1) return direct(z, n);
    // With j = j1 + n1 j2 and k = k2 + n2 k1, the steps are transforms over j2, factors exp(j1 k2 / n), and
    // transforms over j1.
    const Complex inner = of_rows(rows(swapped(z, n2, n1), n2), n2);
    const Complex turned =
        times(of_parts(inner, [&](const Tensor& t) { return reshaped(t, {-1, n1, n2}); }), n1, n2, n);
    const Complex outer =
        of_rows(rows(of_parts(turned, [&](const Tensor& t) { return last_swapped(t); }), n1), n1);
    return rows(swapped(outer, n2, n1), n);
  }

 private:
  Tensor reshaped(const Tensor& x, const Shape& shape) const { return reshape(x, {.shape = shape}, source_); }
  Tensor last_swapped(const Tensor& x) const { return transpose(x, {.permutation = {0, 2, 1}}, source_); }
  Complex rows(const Complex& z, int64_t n) const {
    return of_parts(z, [&](const Tensor& x) { return reshaped(x, {-1, n}); });
  }
  // Returns rows of a * b elements, or groups of a rows of b elements, as [..., b, a].
  Complex swapped(const Complex& z, int64_t a, int64_t b) const {
    return of_parts(z, [&](const Tensor& x) { return last_swapped(reshaped(x, {-1, a, b})); });
  }

  // Returns the turns j k / n, [first, second].
  Turns angles(int64_t first, int64_t second, int64_t n) const {
    const auto indices = [&](int64_t size) { return arange_of(graph_, size, DType::i64, source_); };
    const Tensor product = mul(reshaped(indices(first), {first, 1}), indices(second), source_);
    return turns_of(mod(product, constant(product, Number(n, source_)), source_), n, type_, source_);
  }

  // Multiplies z by cos + sign i sin, where `multiply` is the product.
  template <class Multiply>
  Complex turned(const Complex& z, const Turns& angle, Multiply multiply) const {
    const auto combined = [&](const Tensor& a, const Tensor& b, double sign) {
      return sign > 0 ? add(a, b, source_) : sub(a, b, source_);
    };
    const Tensor real = multiply(z.real, angle.cosine), crossed = multiply(z.real, angle.sine);
    if (!z.imaginary.defined()) return {real, sign_ > 0 ? crossed : neg(crossed, source_)};
    return {combined(real, multiply(z.imaginary, angle.sine), -sign_),
            combined(multiply(z.imaginary, angle.cosine), crossed, sign_)};
  }
  Complex direct(const Complex& z, int64_t n) const {
    return turned(z, angles(n, n, n),
                  [&](const Tensor& a, const Tensor& b) { return matmul(a, b, {}, source_); });
  }
  Complex times(const Complex& z, int64_t first, int64_t second, int64_t n) const {
    return turned(z, angles(first, second, n),
                  [&](const Tensor& a, const Tensor& b) { return mul(a, b, source_); });
  }

  std::shared_ptr<GraphState> graph_;
  DType type_;
  double sign_;
  Where source_;
};

// Returns the first `n` columns of the matrix, with columns of zeros after the last one if it has fewer.
Tensor with_columns(const Tensor& x, int64_t n, Where source) {
  const int64_t size = x.shape()[1];
  if (n <= size) return n == size ? x : ops::slice(x, {.axis = 1, .start = 0, .length = n}, source);
  return ops::pad(x, {.axis = 1, .after = n - size}, source);
}

// Returns the whole spectrum of a real signal of length n from its first n / 2 + 1 frequencies. The other
// frequencies are their conjugates.
Complex whole_spectrum(const Complex& half, int64_t n, Where source) {
  const auto mirrored = [&](const Tensor& x) {
    return flip(ops::slice(x, {.axis = 1, .start = 1, .length = (n - 1) / 2}, source), {1}, source);
  };
  if (n < 3) return half;
  Complex z;
  z.real = concat({half.real, mirrored(half.real)}, {.axis = 1}, source);
  if (half.imaginary.defined())
    z.imaginary = concat({half.imaginary, neg(mirrored(half.imaginary), source)}, {.axis = 1}, source);
  return z;
}

// Returns [rows, n] as [lead..., n, 1]. The first dimension is most often the batch, whose size is not part
// of the program.
Tensor with_lead(const Tensor& x, const Shape& lead, Where source) {
  Shape shape = lead;
  shape.push_back(x.shape()[1]);
  shape.push_back(1);
  if (std::count(shape.begin(), shape.end(), 0) > 0)
    return ops::reshape_like(x, type_only(x, {x.dtype(), shape}, source), source);
  if (!lead.empty()) shape[0] = -1;
  return reshape(x, {.shape = shape}, source);
}

int64_t length_of(const Tensor& x, int64_t size, const DftOptions& o, Where source) {
  const int64_t n = o.length.value_or(o.inverse && o.onesided ? 2 * (size - 1) : size);
  if (n < 1 || n > kMaxLength || !is_possible(n))
    refuse(x, "dft", "a length from 1 to 2^24 with prime factors of at most 1021, not " + std::to_string(n),
           source);
  return n;
}

}  // namespace

Tensor dft(const Tensor& x, const DftOptions& o, Where source) {
  const auto again = [x = kept(x), o, source](const Counterpart& now) { return dft(now(x), o, source); };
  return compose_in_f32(x, "dft", source, again, std::tie(x), [&](const Tensor& x) {
    const int64_t rank = x.type().rank();
    if (rank < 2 || !is_float(x.dtype()) || x.shape().back() < 1 || x.shape().back() > 2)
      refuse(x, "dft", "a floating-point type, and a last dimension of size 1 or 2", source);
    const int64_t axis = axis_of(x, "dft", o.axis, source);
    if (axis == rank - 1) refuse(x, "dft", "an axis that is not the last dimension", source);
    const bool is_complex = x.shape().back() == 2;
    if (o.onesided && !o.inverse && is_complex) refuse(x, "dft", "a real signal for half a spectrum", source);
    const Tensor moved = move_axis(x, axis, rank - 2, source);
    const Shape lead(moved.shape().begin(), moved.shape().end() - 2);
    const int64_t size = moved.shape()[lead.size()], n = length_of(x, size, o, source), half = n / 2 + 1;
    const bool to_real = o.inverse && o.onesided;
    if (size == 0) refuse(x, "dft", "a signal of one element or more", source);
    const auto part = [&](int64_t which) {
      const Tensor one =
          is_complex ? ops::slice(moved, {.axis = -1, .start = which, .length = 1}, source) : moved;
      return with_columns(reshape(one, {.shape = {-1, size}}, source), to_real ? half : n, source);
    };
    Complex z = {part(0), is_complex ? part(1) : Tensor()};
    if (to_real) z = whole_spectrum(z, n, source);
    z = Transform(x, o.inverse ? 1 : -1, source).of_rows(z, n);
    std::vector<Tensor> results = {z.real};
    if (!to_real) results.push_back(z.imaginary);
    for (Tensor& result : results) {
      if (o.inverse) result = ops::scale(result, {.factor = 1 / static_cast<double>(n)}, source);
      if (o.onesided && !o.inverse) result = with_columns(result, half, source);
      result = with_lead(result, lead, source);
    }
    return move_axis(concat(results, {.axis = -1}, source), rank - 2, axis, source);
  });
}

Tensor stft(const Tensor& signal, const Tensor& window, const StftOptions& o, Where source) {
  const auto again = [signal = kept(signal), window = kept(window), o, source](const Counterpart& now) {
    return stft(now(signal), now(window), o, source);
  };
  const auto build = [&](const Tensor& signal, const Tensor& window) {
    if (signal.type().rank() != 3) refuse(signal, "stft", "a signal [batch, length, 1 or 2]", source);
    const int64_t size = signal.shape()[1];
    int64_t length = o.frame_length;
    if (length == 0) length = window.defined() && window.type().rank() == 1 ? window.shape()[0] : size;
    if (length < 1 || length > size || o.frame_step < 1)
      refuse(signal, "stft",
             "a frame length from 1 to the length of the signal and a frame step of 1 or more, not " +
                 std::to_string(length) + " and " + std::to_string(o.frame_step),
             source);
    if (window.defined() && window.type() != TensorType{signal.dtype(), {length}})
      refuse(signal, "stft",
             "a window of the type " + to_string(TensorType{signal.dtype(), {length}}) + ", not " +
                 to_string(window.type()),
             source);
    const int64_t frames = 1 + (size - length) / o.frame_step;
    const Tensor first = arange_of(signal.graph(), frames, DType::i64, source);
    const Tensor begin = mul(first, constant(first, Number(std::min(o.frame_step, size), source)), source);
    const Tensor place = add(reshape(begin, {.shape = {frames, 1}}, source),
                             arange_of(signal.graph(), length, DType::i64, source), source);
    Tensor parts = gather(signal, place, {.axis = 1}, source);
    if (window.defined()) parts = mul(parts, reshape(window, {.shape = {length, 1}}, source), source);
    return dft(parts, {.axis = 2, .length = std::nullopt, .inverse = false, .onesided = o.onesided}, source);
  };
  return compose_in_f32(signal, "stft", source, again, std::tie(signal, window), build);
}

}  // namespace cutset
