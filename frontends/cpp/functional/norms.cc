// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/norms.h"

#include <cutset/constants.h>
#include <cutset/ops.h>

namespace cutset {
namespace {

// Returns 0 where x is 0, and the result of `of` elsewhere. Where x is 0, `of` gets 1 instead, and the
// gradient of its result is not used.
template <class F>
Tensor zero_at_zero(const Tensor& x, std::source_location source, F&& of) {
  const Tensor zero = constant(x, Number(0, source)), is_zero = cutset::equal(x, zero, source);
  return cutset::where(is_zero, zero, of(cutset::where(is_zero, constant(x, Number(1, source)), x, source)),
                       source);
}

}  // namespace

Tensor power_of_norm(const Tensor& x, double p, std::source_location source) {
  const Tensor size = abs(x, source);
  const auto power = [&](const Tensor& of) { return pow(of, constant(of, Number(p, source)), source); };
  return p < 1 ? zero_at_zero(size, source, power)
               : power(size);  // the slope of the power at 0 is finite if p is 1 or more
}

Tensor root_of_norm(const Tensor& sums, double p, std::source_location source) {
  return zero_at_zero(sums, source, [&](const Tensor& of) {
    return p == 2 ? sqrt(of, source) : pow(of, constant(of, Number(1 / p, source)), source);
  });
}

}  // namespace cutset
