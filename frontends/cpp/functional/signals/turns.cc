// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/signals/turns.h"

#include <cutset/constants.h>
#include <cutset/ops.h>

#include <algorithm>
#include <cmath>

#include "frontends/cpp/functional/number_list.h"
#include "frontends/cpp/graph/append.h"

namespace cutset {
namespace {

using Where = std::source_location;

constexpr int64_t kTable = 1024;  // the elements of a table

// Returns f(2 pi i factor / n) for i from 0 to size - 1.
Tensor table(const Tensor& like, int64_t size, int64_t factor, int64_t n, DType type, double (*f)(double),
             Where source) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t step = i * factor % n;  // i * factor is below 2^40
    numbers.push_back(f(2 * M_PI * static_cast<double>(step) / static_cast<double>(n)));
  }
  return list_of(like.graph(), numbers, type, source);
}

Turns product(const Turns& a, const Turns& b, Where source) {
  const auto times = [&](const Tensor& x, const Tensor& y) { return mul(x, y, source); };
  return {sub(times(a.cosine, b.cosine), times(a.sine, b.sine), source),
          add(times(a.sine, b.cosine), times(a.cosine, b.sine), source)};
}

}  // namespace

// The digits of a step in base kTable are indices of tables, because exp(i (a + b)) = exp(i a) exp(i b). Here
// i is the imaginary unit.
Turns turns_of(const Tensor& steps, int64_t n, DType type, Where source) {
  Turns all;
  Tensor rest = steps;
  for (int64_t factor = 1; factor == 1 || factor < n; factor *= kTable) {
    const int64_t digits = (n - 1) / factor + 1;  // how many values the rest can have
    Tensor digit = rest;
    if (digits > kTable) {
      const Tensor base = constant(rest, Number(kTable, source));
      digit = mod(rest, base, source);
      rest = div(rest, base, source);
    }
    const auto looked_up = [&](double (*f)(double)) {
      return gather(table(steps, std::min(digits, kTable), factor, n, type, f, source), digit, {}, source);
    };
    const Turns part = {looked_up(std::cos), looked_up(std::sin)};
    all = factor == 1 ? part : product(all, part, source);
  }
  return all;
}

}  // namespace cutset
