// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/mean_sample_weights.h"

#include <cutset/constants.h>

#include <cmath>
#include <vector>

#include "frontends/cpp/functional/compose.h"
#include "frontends/cpp/functional/number_list.h"

namespace cutset {

// The positions of the samples of a part are first + i * step. Between two pixels the weights are linear. So
// the sum of the weights of the samples between two pixels is their number times the weight at the mean of
// their positions. No op depends on the number of samples.
Tensor mean_sample_weights(const Tensor& begin, const Tensor& length, int64_t size, int64_t elements,
                           std::source_location source) {
  const auto number = [&](double n) { return constant(begin, Number(n, source)); };
  const auto list = [&](int64_t count, auto element) {
    std::vector<double> numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(element(i)));
    return list_of(begin.graph(), numbers, begin.dtype(), source);
  };
  const auto column = [&](const Tensor& t) { return reshape(t, {.shape = {0, -1, 1}}, source); };
  const Tensor part = div(length, number(static_cast<double>(elements)), source);
  const Tensor count = maximum(ceil(part, source), number(0), source);
  const Tensor divisor = column(maximum(count, number(1), source));
  const Tensor given_step = div(column(part), divisor, source);
  const Tensor step = cutset::where(greater(given_step, number(0), source), given_step, number(1), source);
  const Tensor begins = add(begin, mul(part, list(elements, [](int64_t i) { return i; }), source), source);
  const Tensor first = add(column(begins), mul(step, number(0.5), source), source);

  // Counts the samples of a part before each of the bounds -1, 0, ..., size - 1, and at or before `size`.
  // Samples at -1 and at size count, even if their positions are rounded to nearby numbers. Between these
  // two, the weights change without jumps, and rounding does not matter.
  constexpr double kRounding = 1e-4;
  const Tensor bounds = list(size + 2, [](int64_t i) { return i - 1; });
  const Tensor steps = div(sub(bounds, first, source), step, source);
  const Tensor is_first = less(bounds, number(-0.5), source),
               is_last = greater(bounds, number(static_cast<double>(size) - 0.5), source);
  const auto moved = [&](double by) { return add(steps, number(by), source); };
  const Tensor before_bounds = ceil(cutset::where(is_first, moved(-kRounding), steps, source), source);
  const Tensor unlimited =
      cutset::where(is_last, add(floor(moved(kRounding), source), number(1), source), before_bounds, source);
  const Tensor before =
      minimum(maximum(unlimited, number(0), source), column(count), source);  // [r, elements, size + 2]
  const auto samples_before = [&](int64_t offset) {
    return ops::slice(before, {.axis = 2, .start = offset, .length = size}, source);
  };
  const Tensor low = samples_before(0), middle = samples_before(1), high = samples_before(2);
  const auto mean_position = [&](const Tensor& from, const Tensor& to) {
    const Tensor index = mul(sub(add(from, to, source), number(1), source), number(0.5), source);
    return add(first, mul(step, index, source), source);
  };
  const Tensor pixel = list(size, [](int64_t i) { return i; });
  const Tensor rising = add(sub(mean_position(low, middle), pixel, source), number(1), source),
               falling = add(sub(pixel, mean_position(middle, high), source), number(1), source);
  const Tensor is_first_pixel = less(pixel, number(0.5), source),
               is_last_pixel = greater(pixel, number(static_cast<double>(size) - 1.5), source);
  const Tensor left = mul(sub(middle, low, source), cutset::where(is_first_pixel, number(1), rising, source),
                          source),
               right = mul(sub(high, middle, source),
                           cutset::where(is_last_pixel, number(1), falling, source), source);
  const Tensor weights = div(add(left, right, source), divisor, source);
  const Tensor one_or_nan =
      cutset::where(cutset::equal(part, part, source), number(1), number(std::nan("")), source);
  return mul(weights, column(one_or_nan), source);
}

}  // namespace cutset
