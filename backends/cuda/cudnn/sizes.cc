#include "backends/cuda/cudnn/sizes.h"

#include <algorithm>

namespace cutset::cuda {
namespace {

// The number of rows or columns of the result.
int64_t result_size(int64_t size, int64_t filter, int64_t stride, int64_t padding, int64_t dilation) {
  return (size + 2 * padding - dilation * (filter - 1) - 1) / stride + 1;
}

}  // namespace

int64_t result_rows(const Convolution& c) { return result_size(c.h, c.kh, c.sh, c.ph, c.dh); }
int64_t result_columns(const Convolution& c) { return result_size(c.w, c.kw, c.sw, c.pw, c.dw); }

std::string check_sizes(const Convolution& c) {
  constexpr int64_t kMost = int64_t{1} << 31;
  for (const int64_t v : {c.n, c.c, c.h, c.w, c.o, c.cg, c.kh, c.kw, c.sh, c.sw, c.dh, c.dw, c.groups})
    if (v < 1 || v >= kMost) return "a size of the convolution is " + std::to_string(v) + ", not between 1 and 2^31";
  for (const int64_t v : {c.ph, c.pw})
    if (v < 0 || v >= kMost) return "the padding is " + std::to_string(v) + ", not between 0 and 2^31";
  if (c.groups * c.cg != c.c || c.o % c.groups != 0)
    return "the channels cannot be divided into " + std::to_string(c.groups) + " groups";
  if (c.h + 2 * c.ph < c.dh * (c.kh - 1) + 1 || c.w + 2 * c.pw < c.dw * (c.kw - 1) + 1)
    return "the filter is larger than the padded image";
  if (c.bias && c.direction != Direction::kForward) return "only a forward convolution has a bias";
  const auto product = [](int64_t a, int64_t b, int64_t d, int64_t e) {
    return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(d) * static_cast<double>(e);
  };
  constexpr double kMostElements = static_cast<double>(int64_t{1} << 48);
  if (std::max({product(c.n, c.c, c.h, c.w), product(c.o, c.cg, c.kh, c.kw),
                product(c.n, c.o, result_rows(c), result_columns(c))}) > kMostElements)
    return "a tensor has more than 2^48 elements";
  return "";
}

}  // namespace cutset::cuda
