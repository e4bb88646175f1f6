// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/norms.h"

#include <cutset/constants.h>
#include <cutset/ops.h>

namespace cutset {
namespace {

// What `of` returns for x, whose gradient is not used where x is 0: the result is 0 there, and `of` gets 1 in
// place of it.
template <class F>
Tensor zero_at_zero(const Tensor& x, std::source_location where, F&& of) {
  const Tensor zero = constant(x, Number(0, where)), is_zero = cutset::equal(x, zero, where);
  return cutset::where(is_zero, zero, of(cutset::where(is_zero, constant(x, Number(1, where)), x, where)),
                       where);
}

}  // namespace

Tensor power_of_norm(const Tensor& x, double p, std::source_location where) {
  const Tensor size = abs(x, where);
  const auto power = [&](const Tensor& of) { return pow(of, constant(of, Number(p, where)), where); };
  return p < 1 ? zero_at_zero(size, where, power)
               : power(size);  // the slope of the power at 0 is finite from 1 on
}

Tensor root_of_norm(const Tensor& sums, double p, std::source_location where) {
  return zero_at_zero(sums, where, [&](const Tensor& of) {
    return p == 2 ? sqrt(of, where) : pow(of, constant(of, Number(1 / p, where)), where);
  });
}

}  // namespace cutset
