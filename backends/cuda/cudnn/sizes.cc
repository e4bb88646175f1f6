// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cudnn/sizes.h"

namespace cutset::cuda {
namespace {

// Whether the product of all numbers is at most 2^48.
bool is_small(int64_t a, int64_t b, const WindowAxes& axes, int64_t WindowAxis::* what) {
  double product = static_cast<double>(a) * static_cast<double>(b);
  for (const WindowAxis& axis : axes) product *= static_cast<double>(axis.*what);
  return product <= static_cast<double>(int64_t{1} << 48);
}

}  // namespace

std::string check_sizes(const Convolution& c) {
  constexpr int64_t kMost = int64_t{1} << 31;
  const auto size_error = [](std::initializer_list<int64_t> sizes) -> std::string {
    for (const int64_t v : sizes)
      if (v < 1 || v >= kMost)
        return "a size of the convolution is " + std::to_string(v) + ", not between 1 and 2^31";
    return "";
  };
  if (std::string why = size_error({c.n, c.c, c.o, c.cg, c.groups}); !why.empty()) return why;
  if (c.groups * c.cg != c.c || c.o % c.groups != 0)
    return "the channels cannot be divided into " + std::to_string(c.groups) + " groups";
  for (const WindowAxis& a : c.axes) {
    if (std::string why = size_error({a.in, a.out, a.kernel, a.stride, a.dilation}); !why.empty()) return why;
    for (const int64_t v : {a.before, a.after})
      if (v < 0 || v >= kMost) return "the padding is " + std::to_string(v) + ", not between 0 and 2^31";
    if (!a.fits()) return "the filter is larger than the padded image";
    if (a.out != (a.padded() - a.extent()) / a.stride + 1)
      return "the result has " + std::to_string(a.out) +
             " elements along an axis, which is not the size of the convolution";
  }
  if (c.bias && c.direction != Direction::kForward) return "only a forward convolution has a bias";
  if (!is_small(c.n, c.c, c.axes, &WindowAxis::in) || !is_small(c.o, c.cg, c.axes, &WindowAxis::kernel) ||
      !is_small(c.n, c.o, c.axes, &WindowAxis::out))
    return "a tensor has more than 2^48 elements";
  return "";
}

}  // namespace cutset::cuda
