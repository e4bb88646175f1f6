// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/libraries/cudnn_convolution.h"

#include <cstring>
#include <vector>

#include "backends/cuda/cudnn/sizes.h"

namespace cutset::cuda::doubles {
namespace {

// Calls f(index in x, index in the filter, index in y) for every product of a forward convolution. Products
// with the padding of an image are left out.
template <class F>
void for_each_product(const Convolution& c, F f) {
  const auto& [d, h, w] = c.axes;
  const int64_t per_group = c.o / c.groups;
  const int64_t taps = d.kernel * h.kernel * w.kernel, pixels = d.out * h.out * w.out;
  for (int64_t n = 0; n < c.n; ++n)
    for (int64_t o = 0; o < c.o; ++o)
      for (int64_t i = 0; i < c.cg; ++i)
        for (int64_t tap = 0; tap < taps; ++tap)
          for (int64_t pixel = 0; pixel < pixels; ++pixel) {
            const int64_t z = covered(d, pixel / w.out / h.out, tap / w.kernel / h.kernel);
            const int64_t row = covered(h, pixel / w.out % h.out, tap / w.kernel % h.kernel);
            const int64_t column = covered(w, pixel % w.out, tap % w.kernel);
            if (z < 0 || z >= d.in || row < 0 || row >= h.in || column < 0 || column >= w.in) continue;
            const int64_t channel = o / per_group * c.cg + i;
            f(static_cast<size_t>((((n * c.c + channel) * d.in + z) * h.in + row) * w.in + column),
              static_cast<size_t>((o * c.cg + i) * taps + tap),
              static_cast<size_t>((n * c.o + o) * pixels + pixel));
          }
}

void store(const std::vector<double>& sums, float* to) {
  for (size_t i = 0; i < sums.size(); ++i) to[i] = static_cast<float>(sums[i]);
}

void forward(const HostConvolution& h) {
  const Convolution& c = h.convolution;
  std::vector<double> sums(static_cast<size_t>(result_elements(c)));
  for_each_product(
      c, [&](size_t x, size_t f, size_t y) { sums[y] += static_cast<double>(h.x[x]) * h.filter[f]; });
  if (h.bias) {
    const size_t channels = static_cast<size_t>(c.o),
                 image = static_cast<size_t>(product(c.axes, &WindowAxis::out));
    for (size_t y = 0; y < sums.size(); ++y) sums[y] += h.bias[y / image % channels];
  }
  store(sums, h.y);
}

void backward_input(const HostConvolution& h) {
  std::vector<double> sums(static_cast<size_t>(image_elements(h.convolution)));
  for_each_product(h.convolution, [&](size_t x, size_t f, size_t y) {
    sums[x] += static_cast<double>(h.y[y]) * h.filter[f];
  });
  store(sums, h.x);
}

void backward_filter(const HostConvolution& h) {
  std::vector<double> sums(static_cast<size_t>(filter_elements(h.convolution)));
  for_each_product(h.convolution,
                   [&](size_t x, size_t f, size_t y) { sums[f] += static_cast<double>(h.y[y]) * h.x[x]; });
  store(sums, h.filter);
}

}  // namespace

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
