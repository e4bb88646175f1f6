#include "backends/cuda/doubles/cudnn_convolution.h"

#include <cstring>
#include <vector>

#include "backends/cuda/cudnn/sizes.h"

namespace cutset::cuda::doubles {
namespace {

size_t elements(int64_t a, int64_t b, int64_t d, int64_t e) { return static_cast<size_t>(a * b * d * e); }

// Calls f(index in x, index in the filter, index in y) for every product of a forward convolution. Products with the
// padding of an image are left out.
template <class F>
void for_each_product(const Convolution& c, F f) {
  const int64_t rows = result_rows(c), columns = result_columns(c), per_group = c.o / c.groups;
  for (int64_t n = 0; n < c.n; ++n)
    for (int64_t o = 0; o < c.o; ++o)
      for (int64_t i = 0; i < c.cg; ++i)
        for (int64_t r = 0; r < c.kh; ++r)
          for (int64_t s = 0; s < c.kw; ++s)
            for (int64_t row = 0; row < rows; ++row) {
              const int64_t h = row * c.sh - c.ph + r * c.dh;
              if (h < 0 || h >= c.h) continue;
              for (int64_t column = 0; column < columns; ++column) {
                const int64_t w = column * c.sw - c.pw + s * c.dw;
                if (w < 0 || w >= c.w) continue;
                const int64_t channel = o / per_group * c.cg + i;
                f(static_cast<size_t>(((n * c.c + channel) * c.h + h) * c.w + w),
                  static_cast<size_t>(((o * c.cg + i) * c.kh + r) * c.kw + s),
                  static_cast<size_t>(((n * c.o + o) * rows + row) * columns + column));
              }
            }
}

void store(const std::vector<double>& sums, float* to) {
  for (size_t i = 0; i < sums.size(); ++i) to[i] = static_cast<float>(sums[i]);
}

void forward(const HostConvolution& h) {
  const Convolution& c = h.convolution;
  std::vector<double> sums(result_elements(c));
  for_each_product(c, [&](size_t x, size_t f, size_t y) { sums[y] += static_cast<double>(h.x[x]) * h.filter[f]; });
  if (h.bias) {
    const size_t channels = static_cast<size_t>(c.o), image = elements(1, 1, result_rows(c), result_columns(c));
    for (size_t y = 0; y < sums.size(); ++y) sums[y] += h.bias[y / image % channels];
  }
  store(sums, h.y);
}

void backward_input(const HostConvolution& h) {
  std::vector<double> sums(image_elements(h.convolution));
  for_each_product(h.convolution,
                   [&](size_t x, size_t f, size_t y) { sums[x] += static_cast<double>(h.y[y]) * h.filter[f]; });
  store(sums, h.x);
}

void backward_filter(const HostConvolution& h) {
  std::vector<double> sums(filter_elements(h.convolution));
  for_each_product(h.convolution,
                   [&](size_t x, size_t f, size_t y) { sums[f] += static_cast<double>(h.y[y]) * h.x[x]; });
  store(sums, h.filter);
}

}  // namespace

size_t image_elements(const Convolution& c) { return elements(c.n, c.c, c.h, c.w); }
size_t filter_elements(const Convolution& c) { return elements(c.o, c.cg, c.kh, c.kw); }
size_t result_elements(const Convolution& c) { return elements(c.n, c.o, result_rows(c), result_columns(c)); }

void convolve(const HostConvolution& h) {
  const auto spoil_workspace = [&] {
    if (h.workspace_bytes > 0) std::memset(h.workspace, 0xff, h.workspace_bytes);
  };
  spoil_workspace();
  switch (h.convolution.direction) {
    case Direction::kForward:
      forward(h);
      break;
    case Direction::kBackwardInput:
      backward_input(h);
      break;
    case Direction::kBackwardFilter:
      backward_filter(h);
      break;
  }
  spoil_workspace();
}

}  // namespace cutset::cuda::doubles
